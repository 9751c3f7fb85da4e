import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nowNs } from '../measure/rig/clock.js';
import { Seconds, StolenTime } from './seconds.js';

it('a second without figures passes its worst loop delay on to the next', () => {
  const startedNs = nowNs();
  const sent = [
    { sentNs: 0, loopDelayMs: 97 },
    { sentNs: startedNs + 1e9, loopDelayMs: 3 },
    { sentNs: startedNs + 2e9, loopDelayMs: 5 },
  ];
  const seconds = new Seconds({ second: () => ({ progress: {}, bins: [], ...sent.shift()! }) }, startedNs, 30_000);
  for (let n = 0; n < 3; n++) seconds.end();
  expect(seconds.recent.map(({ rig }) => rig.loopDelayMs)).toEqual([97, 5]);
});

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
