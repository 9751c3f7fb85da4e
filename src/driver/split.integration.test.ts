import { describe, expect, it } from 'vitest';
import { share } from '../measure/share.js';
import { latencyFlags, soundResult } from '../testing/latency.js';
import { workplace } from '../testing/workplace.js';

const place = workplace();
const [subscribers, broadcasts, warmUp] = [53, 29, 3];

/** How many of the measured broadcasts fall to a shard: every k-th one of all, warm-up included. */
const dealt = (index: number, of: number): number =>
  Array.from({ length: broadcasts }, (_, n) => warmUp + n).filter((sequence) => sequence % of === index).length;

describe.concurrent('one job', () => {
  it.for([
    ['ws', 1],
    ['ws', 2],
    ['ws', 3],
    ['ws', 7],
    ['uws', 2],
    ['socketio', 3],
    ['socketio-csr', 7],
  ] as const)('against %s has the same ledger when it is split %i way(s)', async ([target, of]) => {
    const flags = ['--target', target, '--local-shards', String(of), ...latencyFlags(subscribers, broadcasts, warmUp)];
    const driver = place.ringside(['run', 'latency', ...flags]);
    const ended = await driver.ended;
    expect(driver.family()).toEqual([]);
    expect([0, 4]).toContain(ended.code);
    const { ledger, shards, stop, metrics } = soundResult(ended);
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
  });
});
