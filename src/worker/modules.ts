import type { Flow } from '../flow/api.js';
import { loadFlow } from '../flow/module/load-flow.js';
import type { PlainJob } from './messages.js';

/** A flow of the job, and its share of the clients relative to the others. */
export interface LoadedModule {
  flow: Flow;
  name: string;
  weight: number;
  /** Result of its `setup`, which ran in the driver. */
  shared: unknown;
}

/** Imports the modules of a job from their files, which are in the same order. Throws `FlowFault`. */
export function loadModules({ modules }: Pick<PlainJob, 'modules'>, files: readonly string[]): Promise<LoadedModule[]> {
  return Promise.all(
    modules.map(async ({ name, weight, shared }, index) => ({
      flow: await loadFlow(files[index]!, name),
      ...{ name, weight, shared },
    })),
  );
}
