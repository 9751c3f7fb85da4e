import type { JobRequest } from '../../../src/contract/job.js';
import type { ShardResult } from '../../../src/contract/shard.js';
import type { Delivered } from './reader.js';

/** The engines that hold the sockets of Ringside's wire clients. */
export const engineNames = ['js', 'native'] as const;

export type EngineName = (typeof engineNames)[number];

/** Why an engine cannot run here; undefined if it can. */
export async function lackOf(engine: EngineName): Promise<string | undefined> {
  return engine === 'js' ? undefined : 'this build has the JavaScript engine only';
}

/** The load of a job whose clients are of this engine. */
export function loadOf(_engine: EngineName): JobRequest['load'] {
  return { client: 'wire' };
}

/** What the engine of a shard counted; undefined if it counts nothing. */
export function statsOf(_result: ShardResult): (NonNullable<Delivered['stamps']> & { reads: number }) | undefined {
  return undefined;
}
