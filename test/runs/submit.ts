/** The manifest of a driver, as far as tests read it. */
export interface SubmittedJob {
  metadata: { name: string };
  spec: { backoffLimit: number; template: { spec: { containers: { args: string[]; env: unknown[] }[] } } };
}

/** A call that prints how an engine would start the driver of a run. */
export function submitted(engine: string, run: readonly string[]): string[] {
  return ['submit', '--on', engine, '--dry-run', '--', ...run];
}

export function commandLineOf({ spec }: SubmittedJob): string[] {
  return spec.template.spec.containers.flatMap(({ args }) => args);
}
