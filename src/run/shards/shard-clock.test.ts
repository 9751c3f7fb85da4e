import { expect, it } from 'vitest';
import type { ShardClient } from './shard-client.js';
import { type ClockSample, clockOffsetOf, monotonicOffsetOf, sampleClock } from './shard-clock.js';

/** A look that took so long, at a shard whose clock is ahead. */
function look(tripMs: number, aheadMs: number): ClockSample {
  const [sentMs, wallMs] = [7919, 1_763_900_000_000];
  return {
    sentMs,
    driver: { wallMs: wallMs + tripMs, monotonicMs: sentMs + tripMs },
    shard: { wallMs: wallMs + tripMs / 2 + aheadMs, monotonicMs: 101 },
    holder: null,
  };
}

it('an offset is that of the closest look, known to half its way and a reading', () => {
  expect(clockOffsetOf([look(43, 90), look(7, -61_003), look(31, 0)])).toEqual({
    clock: { offsetMs: -61_003, uncertaintyMs: 3.5 + 1 },
    roundTrip: { medianMs: 31, worstMs: 43, asked: 3 },
  });
  expect(() => clockOffsetOf([])).toThrow(RangeError);
});

it('a monotonic clock is that of the closest look, too, known to half its way', () => {
  const looks = [look(43, 0), look(8, 0), look(31, 0)];
  expect(monotonicOffsetOf(looks)).toEqual({ aheadMs: 101 - (7919 + 4), errorMs: 4 });
});

it('a clock is read between the question and the answer', async () => {
  const holder = { runId: '5eed0007', driver: 'ada@laptop/7', heldMs: 7 };
  const now: ShardClient['now'] = async () => ({ wallMs: 0, monotonicMs: performance.now(), holder });
  const { sentMs, driver, shard, ...more } = await sampleClock({ now });
  expect(sentMs).toBeLessThanOrEqual(shard.monotonicMs);
  expect(shard.monotonicMs).toBeLessThanOrEqual(driver.monotonicMs);
  expect(more).toEqual({ holder });
});
