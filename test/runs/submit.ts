/** The manifest of a driver, as far as tests read it. */
export interface SubmittedJob {
  metadata: { name: string };
  spec: {
    backoffLimit: number;
    template: {
      spec: {
        containers: { args: string[]; env: unknown[]; volumeMounts: { mountPath: string }[] }[];
        volumes?: { name: string; secret?: { secretName: string; items: { key: string; path: string }[] } }[];
      };
    };
  };
}

/** The Secret that goes with it, and holds files of the user. */
export interface SubmittedFiles {
  metadata: { name: string };
  data: Record<string, string>;
}

/** A call that prints how Kubernetes would start the driver of a run. */
export function submitted(run: readonly string[]): string[] {
  return ['submit', '--dry-run', '--', ...run];
}

export function commandLineOf({ spec }: SubmittedJob): string[] {
  return spec.template.spec.containers.flatMap(({ args }) => args);
}
