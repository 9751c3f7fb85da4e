import { type Problem, ProblemError } from '../../contract/problems.js';
import { greetAll, shardAnswer } from '../../run/shards/dispatch.js';
import { type HoldContext, isBusy, untilFree } from '../../run/shards/hold.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { Probe } from './probe.js';

/** Holds a shard that can't take part, and why. */
export interface AbsentShard {
  url: string;
  problem: Problem;
}

/** Holds the shards of a drill. */
export interface Met {
  probes: Probe[];
  absent: AbsentShard[];
}

interface GreetContext extends HoldContext {
  /** True if others can hold the shards. Only this drill knows shards that it starts itself. */
  areGiven: boolean;
}

/**
 * Asks each shard for its identity. Throws `ProblemError` if none can take part, if one is given twice, or if another
 * run holds one. A drill of the others would disturb that run's links, and perhaps its machine.
 */
export async function greet(shards: readonly ShardClient[], context: GreetContext): Promise<Met> {
  if (context.areGiven) await untilFree(shards, context);
  const met = await Promise.all(shards.map((shard) => meet(shard, shards.length, context.interrupt)));
  const probes = met.flatMap((each) => (each instanceof Probe ? [each] : []));
  const absent = met.flatMap((each) => (each instanceof Probe ? [] : each));
  if (probes.length === 0) throw new ProblemError(absent.map(({ problem }) => problem));
  await greetAll(probes.map(({ client }) => client));
  return { probes, absent };
}

async function meet(shard: ShardClient, of: number, interrupt: AbortSignal): Promise<Probe | AbsentShard[]> {
  try {
    const probe = new Probe(shard, await shardAnswer(shard, shard.info()), { of, interrupt });
    await probe.enter();
    return probe;
  } catch (error) {
    if (!(error instanceof ProblemError) || isBusy(error)) throw error;
    return error.problems.map((problem) => ({ url: shard.url, problem }));
  }
}
