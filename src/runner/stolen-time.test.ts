import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StolenTime } from './stolen-time.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('tells what was taken in each slot, to the tick', () => {
  let ticks = 1009;
  const [startNs, startMs] = [1e9, Date.now()];
  const read = () => [
    { core: 'cpu0', busy: 1, idle: 1, stolen: ticks },
    { core: 'cpu1', busy: 1, idle: 1, stolen: 7 },
  ];
  const time = new StolenTime(read, () => startNs + (Date.now() - startMs) * 1e6);
  vi.advanceTimersByTime(100);
  ticks += 3;
  vi.advanceTimersByTime(100);
  time.stop();
  ticks += 11;
  vi.advanceTimersByTime(100);
  const slots = Float64Array.from([0, 80, 140], (ms) => startNs + ms * 1e6);
  const [before, within, after] = time.during(slots, 60e6);
  expect([before, within, after]).toEqual([0, 30_000, 0]);
});

it('tells nothing where the machine does not', () => {
  const time = new StolenTime(() => undefined);
  time.stop();
  expect([...time.during(Float64Array.of(7e9), 1e6)]).toEqual([0]);
});
