import { afterEach, describe, expect, it, vi } from 'vitest';
import { LoopDelays, SelfMeasure, startBeat } from './self.js';

type Reading = [cpuMs: number, waitMs: number] | undefined;

/** CPU and core waits of a loop under load, a pair per look; undefined if the kernel's figures can't be read. */
function measured(...readings: Reading[]): (number | null)[] {
  let at = 0;
  const self = new SelfMeasure(() => {
    const reading = readings[at++];
    return reading && { cpuMs: reading[0], waitMs: reading[1] };
  });
  self.start({ received: 0 });
  while (at < readings.length) self.look({ received: at });
  const { cpuMs, runQueueWaitMs } = self.measured;
  return [cpuMs, runQueueWaitMs];
}

it('takes the last good reading where there is no descriptor for another', () => {
  expect(measured([503, 7], [509, 11], undefined, undefined, [523, 29])).toEqual([20, 22]);
  expect(measured([503, 7], [509, 11], undefined)).toEqual([6, 4]);
});

it('knows nothing without a first reading', () => {
  expect(measured(undefined, [509, 11])).toEqual([null, null]);
});

it('says nothing of a loop that never had a load', () => {
  const self = new SelfMeasure();
  self.start({});
  for (let n = 1; n < 7; n++) self.tick(performance.now() + n * 97);
  self.look({});
  self.halt({});
  expect(self.measured).toMatchObject({ windowMs: 0, loopDelayP99Ms: 0, loopDelayMaxMs: 0, utilization: 0 });
});

/** Lets the timer tick in time until `untilMs`, but for stalls of that length, evenly spread. */
function tick(delays: LoopDelays, fromMs: number, untilMs: number, stalls = 0, stallMs = 0): void {
  const parts = Math.max(1, stalls);
  const partMs = (untilMs - fromMs) / parts;
  for (let part = 0; part < parts; part++) {
    const endMs = fromMs + (part + 1) * partMs;
    let nowMs = fromMs + part * partMs + 10;
    for (; nowMs <= endMs - stallMs - 10; nowMs += 10) delays.tick(nowMs);
    if (stalls > 0) delays.tick(endMs);
  }
}

/** A load of that length. */
function loaded(windowMs: number, stalls = 0, stallMs = 0): LoopDelays {
  const delays = new LoopDelays();
  delays.resume(0);
  tick(delays, 0, windowMs, stalls, stallMs);
  delays.look(windowMs, 'load');
  return delays;
}

describe('a delay', () => {
  it('is none of ticks in time, and none of no ticks', () => {
    const delays = loaded(60_000);
    expect([delays.p99Ms, delays.maxMs]).toEqual([0, 0]);
    const none = loaded(0);
    expect([none.p99Ms, none.maxMs]).toEqual([0, 0]);
  });

  it('has in it the time of its stalls, however few ticks they let through', () => {
    // A third of the time; of all ticks that came the stalls are less than one in a hundred.
    const delays = loaded(60_000, 34, 588);
    expect(delays.p99Ms).toBeGreaterThan(500);
    expect(delays.maxMs).toBeGreaterThanOrEqual(587);
  });

  it('of one stall is as late as the last hundredth of the load falls into it', () => {
    expect(loaded(10_000, 1, 90).p99Ms).toBeLessThan(10);
    const { p99Ms } = loaded(10_000, 1, 497);
    expect(p99Ms).toBeGreaterThan(380);
    expect(p99Ms).toBeLessThan(420);
  });

  it.each([250, 500, 1000])('of a load of %i ms is more than one late tick, and the time of a stall', (windowMs) => {
    expect(loaded(windowMs, 1, 9).p99Ms).toBe(0);
    expect(loaded(windowMs, 1, 97).p99Ms).toBeGreaterThan(80);
  });

  it('knows nothing of what a rest had in it', () => {
    const delays = loaded(2000);
    tick(delays, 2000, 2750, 1, 60);
    delays.look(2750, 'open');
    tick(delays, 2750, 7000, 2, 60);
    delays.look(7000, 'rest');
    tick(delays, 7000, 9000);
    delays.look(9000, 'load');
    expect([delays.p99Ms, delays.maxMs]).toEqual([0, 0]);
  });

  it('has in it a pause that turned out to be of the load', () => {
    const delays = loaded(2000);
    tick(delays, 2000, 2750, 1, 300);
    delays.look(2750, 'open');
    expect(delays.maxMs).toBe(0);
    tick(delays, 2750, 3000);
    delays.look(3000, 'load');
    delays.look(3000, 'load');
    expect(delays.p99Ms).toBeGreaterThan(260);
    expect(delays.maxMs).toBeLessThanOrEqual(301);
  });

  it('counts a tick that is overdue at a look, and nothing of a break', () => {
    const delays = new LoopDelays();
    delays.resume(1000);
    delays.look(1009, 'load');
    expect(delays.maxMs).toBe(0);
    delays.look(1313, 'load');
    expect(delays.maxMs).toBeCloseTo(303, 0);
    tick(delays, 1313, 3313, 1, 997);
    delays.resume(5000);
    delays.look(5009, 'load');
    expect(delays.maxMs).toBeCloseTo(303, 0);
  });
});

afterEach(() => void vi.useRealTimers());

it('tells of its ticks, and four times a second the worst that they were late in that second', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  const ticks: number[] = [];
  const told: [atMs: number, worstMs: number, isSecond: boolean][] = [];
  const beat = startBeat(performance.now() * 1e6, {
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
