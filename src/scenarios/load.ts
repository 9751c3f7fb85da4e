import type { Scenario } from './scenario.js';

/** Loads one scenario and no other: a worker needs no more. Its folder has its name, its export that in camel case. */
export async function loadScenario(name: string): Promise<Scenario> {
  const path = `./${name}/index.js`;
  const exported = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const { [exported]: scenario } = (await import(path)) as Record<string, Scenario>;
  if (!scenario) throw new Error(`scenarios/${name}/index.ts has no export called ${exported}`);
  return scenario;
}
