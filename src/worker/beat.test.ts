import { afterEach, expect, it, vi } from 'vitest';
import { Beat } from './self.js';

afterEach(() => void vi.useRealTimers());

it('tells of its ticks, and four times a second the worst that they were late in that second', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  const ticks: number[] = [];
  const told: [atMs: number, worstMs: number, isSecond: boolean][] = [];
  const beat = new Beat(performance.now() * 1e6, {
    tick: (nowMs) => {
      // The next tick finds the clock 70 ms on.
      if (ticks.push(nowMs) === 30) stall(70);
    },
    beat: (worstMs, isSecond) => told.push([performance.now(), worstMs, isSecond]),
  });
  vi.advanceTimersByTime(2000);
  beat.stop();
  vi.advanceTimersByTime(1000);
  expect(told.map(([, , isSecond]) => isSecond)).toEqual([false, false, false, true, false, false, false, true]);
  expect(told.map(([, worstMs]) => Math.round(worstMs))).toEqual([0, 70, 70, 70, 0, 0, 0, 0]);
  expect(ticks.length).toBeGreaterThan(180);
});

/** Moves the clock and leaves the timers. */
function stall(ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
}
