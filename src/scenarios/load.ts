import type { Scenario } from './scenario.js';

/** Loads one scenario and no other: a worker needs no more. Its folder and its export have its name. */
export async function loadScenario(name: string): Promise<Scenario> {
  const path = `./${name}/index.js`;
  const { [name]: scenario } = (await import(path)) as Record<string, Scenario>;
  if (!scenario) throw new Error(`scenarios/${name}/index.ts has no export called ${name}`);
  return scenario;
}
