import { ProblemError } from '../../contract/problems.js';
import type { ShardHolder } from '../../contract/shard.js';
import { shardAnswer } from '../../run/shards/partial-body.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { type ClockOffset, measureClock } from '../../run/shards/shard-clock.js';
import { withoutSecrets } from '../../units/addresses.js';

/** Holds the state that one bench-runner reports. All but `url` and `why` are null if it does not answer. */
export interface ShardState {
  /** Null if it has no address yet. */
  url: string | null;
  /** Reason why it can't take part in a run; null if it can. */
  why: string | null;
  version: string | null;
  cores: number | null;
  cpu: string | null;
  /** Shards that share a clock have equal ids. */
  clockId: string | null;
  clock: ClockOffset['clock'] | null;
  roundTrip: ClockOffset['roundTrip'] | null;
  engine: string | null;
  holder: ShardHolder | null;
}

/** Asks a bench-runner for its whole state. */
export async function stateOf(shard: ShardClient): Promise<ShardState> {
  let state = silentState(withoutSecrets(shard.url), '');
  try {
    const { version, machine, clockId, engine } = await shardAnswer(shard, shard.info());
    const { cores, cpu } = machine;
    state = { ...state, version, cores, cpu, clockId, engine: engine.name };
    return { ...state, why: null, ...(await measureClock(shard)) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { ...state, why: error.problems.map(({ message }) => withoutUrl(message, shard)).join('; ') };
  }
}

/** Returns the state of a bench-runner that does not answer. */
export function silentState(url: string | null, why: string): ShardState {
  const unknown = { version: null, cores: null, cpu: null, clockId: null, clock: null, roundTrip: null };
  return { url, why, ...unknown, engine: null, holder: null };
}

function withoutUrl(message: string, { url }: ShardClient): string {
  return message.startsWith(url) ? message.slice(url.length).replace(/^:? /, '') : message;
}
