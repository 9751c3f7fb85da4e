import { expect } from 'vitest';
import { shareOf } from '../src/measure/share.js';
import type { RunResult } from '../src/results/result.js';
import type { Ended } from './command.js';
import { latencyFlags, soundResult } from './latency.js';
import { exitOf } from './workplace.js';

const [subscribers, broadcasts, warmUp] = [53, 29, 3];

/** The flags of one job, which has the same ledger over any number of shards on any platform. */
export const splitJob = [...latencyFlags(subscribers, broadcasts, warmUp), '--seed', '7919'];

/** What arithmetic says of it. */
const ledgerOfJob = {
  attempted: broadcasts,
  acked: broadcasts,
  refused: 0,
  failed: 0,
  expected: subscribers * broadcasts,
  delivered: subscribers * broadcasts,
  lost: 0,
  duplicate: 0,
  outOfOrder: 0,
  late: 0,
};

/** How many of the measured broadcasts fall to a shard: every k-th one of all, warm-up included. */
const dealt = (index: number, of: number): number =>
  Array.from({ length: broadcasts }, (_, n) => warmUp + n).filter((sequence) => sequence % of === index).length;

/** Checks a run of that job: the ledger to the last delivery, and what each of so many shards did of it. */
export function wholeSplit(ended: Ended, of: number): RunResult {
  const result = soundResult(ended);
  const { job, ledger, shards, stop, metrics } = result;
  expect(ended.code).toBe(exitOf(result));
  expect(stop).toEqual({ code: 'completed', evidence: [] });
  expect(job).toMatchObject({ seed: 7919, shards: of });
  expect(ledger).toEqual(ledgerOfJob);
  const indices = Array.from({ length: of }, (_, index) => index);
  expect(shards.map(({ state, result }) => ({ state, slice: result?.slice, counts: result?.counts }))).toEqual(
    indices.map((index) => ({
      state: 'complete',
      slice: { index, of },
      counts: expect.objectContaining({
        asked: shareOf(subscribers, index, of),
        subscribers: shareOf(subscribers, index, of),
        attempted: dealt(index, of),
        received: shareOf(subscribers, index, of) * (warmUp + broadcasts),
      }),
    })),
  );
  // Each shard times its own broadcasts as its own subscribers get them.
  const timed = indices.reduce((sum, index) => sum + shareOf(subscribers, index, of) * dealt(index, of), 0);
  expect(metrics.delivery?.count).toBe(timed);
  expect(metrics.publishAck?.count).toBe(broadcasts);
  expect(metrics.subscribe?.count).toBe(subscribers);
  return result;
}
