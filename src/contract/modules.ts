import { z } from 'zod';
import { ourName, outside, outsideSentence } from './problems.js';

/** Largest module that a bench-runner takes. Rows of data files are a part of it. */
export const mostModuleBytes = 16 * 2 ** 20;

export const moduleDigest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 of 64 hex digits');

/** Names a module of a job. `PUT /modules/:digest` sends the module itself, before the job. */
export const jobModule = z.strictObject({
  digest: moduleDigest,
  /** Name of the user's file. */
  name: z.string().min(1).max(256),
  /** Its share of the clients, relative to the other modules. */
  weight: z.number().int().min(1).max(1_000_000),
  /** Result of the flow's `setup`. It may hold secrets. */
  shared: z.json().optional(),
});

export type JobModule = z.output<typeof jobModule>;

/** Describes a module in results: never with rows of its data, or what its `setup` returned. */
export const describedModule = z.strictObject({
  name: outside,
  digest: moduleDigest,
  weight: jobModule.shape.weight,
  /** Meanings of the metrics that it declares, by name. */
  metrics: z.record(ourName, outsideSentence),
});

export type DescribedModule = z.output<typeof describedModule>;

/** Begins the names of the variables that a user's module sees in a worker. */
export const moduleVariable = 'RINGSIDE_FLOW_';
/** Variables that Node, packages or our tests need in every worker. */
const neededVariables = ['NODE_ENV', 'NODE_OPTIONS', 'TEST_ADDON'];

/** Returns what the modules of a user may see of an environment, which holds secrets of others. */
export function moduleEnvironment(env: Readonly<Record<string, string | undefined>>) {
  const isSeen = (name: string): boolean => name.startsWith(moduleVariable) || neededVariables.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isSeen(name)));
}
