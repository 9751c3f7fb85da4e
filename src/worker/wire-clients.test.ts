import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Ticks } from './wire-clients.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ticks each client once in a round, a few at a time, until it stops', () => {
  const ticked: number[] = [];
  const ticks = new Ticks(10_000, 307, (client) => ticked.push(client));
  vi.advanceTimersByTime(100);
  expect(ticked).toEqual([0, 100, 200, 300]);
  vi.advanceTimersByTime(9_900);
  expect(ticked.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 307 }, (_, client) => client));
  vi.advanceTimersByTime(10_000);
  expect(ticked.slice(307)).toEqual(ticked.slice(0, 307));
  ticks.stop();
  vi.advanceTimersByTime(20_000);
  expect(ticked).toHaveLength(2 * 307);
});
