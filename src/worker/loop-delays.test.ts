import { describe, expect, it } from 'vitest';
import { LoopDelays } from './loop-delays.js';

/** A loop whose timer ticks in time, but for stalls of that length, evenly spread over the window. */
function ticked(windowMs: number, stalls: number, stallMs: number): LoopDelays {
  const delays = new LoopDelays();
  delays.resume(0);
  const calmMs = windowMs / Math.max(1, stalls) - stallMs;
  for (let n = 0, nowMs = 0; n < Math.max(1, stalls); n++) {
    for (const untilMs = nowMs + calmMs; nowMs < untilMs - 10; ) {
      nowMs += 10;
      delays.tick(nowMs);
    }
    if (stalls === 0) break;
    nowMs += 10 + stallMs;
    delays.tick(nowMs);
  }
  return delays;
}

describe('the delay of a loop', () => {
  it('is none of ticks in time', () => {
    const delays = ticked(60_000, 0, 0);
    expect([delays.p99Ms(60_000), delays.maxMs]).toEqual([0, 0]);
  });

  it('has in it the time of its stalls, however few ticks they let through', () => {
    // A third of the time; of all ticks that came the stalls are less than one in a hundred.
    const delays = ticked(60_000, 34, 588);
    expect(delays.p99Ms(60_000)).toBeGreaterThan(500);
    expect(delays.maxMs).toBeGreaterThanOrEqual(588);
  });

  it('of one stall is as late as the last hundredth of the window falls into it', () => {
    expect(ticked(10_000, 1, 97).p99Ms(10_000)).toBe(0);
    const p99Ms = ticked(10_000, 1, 497).p99Ms(10_000);
    expect(p99Ms).toBeGreaterThan(380);
    expect(p99Ms).toBeLessThan(400);
  });

  it('is of the window, and not of a long rest behind it', () => {
    const delays = ticked(10_000, 1, 497);
    for (let nowMs = 20_000; nowMs < 50_000; nowMs += 10) {
      delays.resume(nowMs - 10);
      delays.tick(nowMs);
    }
    expect(delays.p99Ms(10_000)).toBeGreaterThan(380);
    expect(delays.p99Ms(40_000)).toBeLessThan(100);
  });

  it('counts a tick that is overdue when nobody waits for it any more', () => {
    const delays = new LoopDelays();
    delays.resume(1000);
    delays.halt(1009);
    expect(delays.maxMs).toBe(0);
    delays.halt(1313);
    expect(delays.maxMs).toBeCloseTo(303, 0);
  });
});
