import { ProblemError } from '../../contract/problems.js';
import type { Holder } from '../../contract/shard.js';
import { answerOf } from '../../run/shards/dispatch.js';
import type { ShardClient } from '../../run/shards/shard-client.js';

/** A wall clock against that of this machine. */
export interface ClockOffset {
  /** Positive if the other clock is ahead. */
  offsetMs: number;
  /** The true offset is at most so far away. */
  uncertaintyMs: number;
}

/** What one bench-runner says of itself; all but `url` and `why` are null where it does not answer. */
export interface ShardState {
  /** Null if it has no address yet. */
  url: string | null;
  /** Why it can't take part in a run; null if it can. */
  why: string | null;
  version: string | null;
  cores: number | null;
  cpu: string | null;
  /** Shards of one clock have equal ones. */
  clockId: string | null;
  clock: ClockOffset | null;
  roundTripMs: number | null;
  engine: string | null;
  holder: Holder | null;
}

/** The quickest of so many answers is the one that waited least. */
const questions = 9;
/** Wall clocks are read in whole milliseconds. */
const readingMs = 1;

/** Asks a bench-runner for everything. */
export async function stateOf(shard: ShardClient): Promise<ShardState> {
  try {
    const { version, machine, clockId, engine } = await answerOf(shard, shard.info());
    const { holder, ...seen } = await readClock(shard);
    const { cores, cpu } = machine;
    return { url: shard.url, why: null, version, cores, cpu, clockId, ...seen, engine: engine.name, holder };
  } catch (error) {
    if (error instanceof ProblemError) return silentState(shard.url, error.message.replace(shard.url, '').trim());
    throw error;
  }
}

/** The state of a bench-runner that does not answer. */
export function silentState(url: string | null, why: string): ShardState {
  const unknown = { version: null, cores: null, cpu: null, clockId: null, clock: null, roundTripMs: null };
  return { url, why, ...unknown, engine: null, holder: null };
}

async function readClock(shard: ShardClient): Promise<Pick<ShardState, 'clock' | 'roundTripMs' | 'holder'>> {
  let best: { clock: ClockOffset; roundTripMs: number } | undefined;
  let holder: Holder | null = null;
  for (let question = 0; question < questions; question++) {
    const [sentMs, sentEpochMs] = [performance.now(), Date.now()];
    const now = await answerOf(shard, shard.now());
    const roundTripMs = performance.now() - sentMs;
    holder = now.holder;
    if (best && best.roundTripMs <= roundTripMs) continue;
    best = { clock: offsetOf(now.epochMs, sentEpochMs, roundTripMs), roundTripMs };
  }
  return { clock: best?.clock ?? null, roundTripMs: best?.roundTripMs ?? null, holder };
}

/** The other clock was read some time between question and answer. */
export function offsetOf(otherEpochMs: number, sentEpochMs: number, roundTripMs: number): ClockOffset {
  return { offsetMs: otherEpochMs - (sentEpochMs + roundTripMs / 2), uncertaintyMs: roundTripMs / 2 + readingMs };
}
