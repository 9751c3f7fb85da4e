import { expect } from 'vitest';
import { share } from '../../src/measure/share.js';
import { latencyFlags, soundResult } from '../latency.js';
import { exitOf, workplace } from '../workplace.js';

const place = workplace();
const [subscribers, broadcasts, warmUp] = [53, 29, 3];

/** How many of the measured broadcasts fall to a shard: every k-th one of all, warm-up included. */
const dealt = (index: number, of: number): number =>
  Array.from({ length: broadcasts }, (_, n) => warmUp + n).filter((sequence) => sequence % of === index).length;

/** Runs latency against a target, split over so many shards, and checks the ledger and what each shard did of it. */
export async function splitRun(target: string, of: number): Promise<void> {
  const flags = ['--target', target, '--local-shards', String(of), ...latencyFlags(subscribers, broadcasts, warmUp)];
  const driver = place.ringside(['run', 'latency', ...flags]);
  const ended = await driver.ended;
  expect(driver.family()).toEqual([]);
  const result = soundResult(ended);
  const { ledger, shards, stop, metrics } = result;
  expect(ended.code).toBe(exitOf(result));
  expect(stop).toEqual({ code: 'completed', evidence: [] });
  expect(ledger).toEqual({
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
  });
  const indices = Array.from({ length: of }, (_, index) => index);
  expect(shards.map(({ state, result }) => ({ state, slice: result?.slice, counts: result?.counts }))).toEqual(
    indices.map((index) => ({
      state: 'complete',
      slice: { index, of },
      counts: expect.objectContaining({
        asked: share(subscribers, index, of),
        subscribers: share(subscribers, index, of),
        attempted: dealt(index, of),
        received: share(subscribers, index, of) * (warmUp + broadcasts),
      }),
    })),
  );
  // Each shard times its own broadcasts as its own subscribers get them.
  const timed = indices.reduce((sum, index) => sum + share(subscribers, index, of) * dealt(index, of), 0);
  expect(metrics.delivery?.count).toBe(timed);
  expect(metrics.publishAck?.count).toBe(broadcasts);
  expect(metrics.subscribe?.count).toBe(subscribers);
}
