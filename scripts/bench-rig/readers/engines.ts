import type { EngineUse } from '../../../src/contract/engine.js';
import type { JobRequest } from '../../../src/contract/job.js';
import type { ShardResult } from '../../../src/contract/shard.js';
import { type EngineName, engineHere } from '../../../src/wire/choice.js';

/** The engines that hold the sockets of Ringside's wire clients. */
export const engineNames = ['js', 'native'] as const satisfies readonly EngineName[];

export type { EngineName };

/** Why an engine cannot run here; undefined if it can. */
export async function lackOf(engine: EngineName): Promise<string | undefined> {
  if (engine === 'js') return undefined;
  const here = await engineHere();
  return here.name === 'js' ? here.why : undefined;
}

/** The load of a job whose clients are of this engine. */
export function loadOf(engine: EngineName): NonNullable<JobRequest['load']> {
  return { client: 'wire', engine };
}

/** What the only engine of a shard counted. Throws if it is another one. */
export function statsOf({ rig: { engines = [] } }: ShardResult, asked: EngineName): EngineUse {
  const [use] = engines;
  if (use?.name !== asked) throw new Error(`the ${use?.name} engine ran in place of the ${asked} one`);
  return use;
}
