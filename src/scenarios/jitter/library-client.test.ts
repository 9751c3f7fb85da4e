import { expect, it } from 'vitest';
import { type Given, halfMinute, played, valuesOf } from './audience-on-stage.js';
import { dropInstants } from './schedule.js';

/** Client 3 of the run, alone; it is dropped twice in the half minute. */
const given: Given = {
  reconnects: true,
  clientCount: 1,
  firstClient: 3,
  options: { everyMs: 17_000, spread: 'fixed' },
};
const drops = dropInstants(3, { ...halfMinute, everyMs: 17_000, spread: 'fixed' });

/** Its library opens a connection, by an attempt of 11 ms, that long after each drop. */
const reconnecting = (...afterMs: number[]) =>
  played(given, ({ at, told }, beginMs) => {
    for (const ms of drops.flatMap((dropMs) => afterMs.map((each) => dropMs + each))) {
      at(beginMs + ms, () => {
        told().opened(0, Number.NaN, 11e6);
        told().ready(0);
      });
    }
  });

it('the client of a library that reconnects comes back by itself, in its own time', async () => {
  const { reopens, report } = await reconnecting(2703);
  expect(drops).toHaveLength(2);
  expect(reopens).toEqual([]);
  expect(report.counts).toMatchObject({ drops: 2, attempts: 2, back: 2, blocked: 0, failedAttempts: 0 });
  // The stage confirms after 2 ms.
  expect(valuesOf(report.samples.reconnect)).toEqual([13_000, 13_000]);
  for (const offlineUs of valuesOf(report.samples.offline)) {
    expect(offlineUs).toBeGreaterThan(2_699_000);
    expect(offlineUs).toBeLessThanOrEqual(2_705_000);
  }
});

it('one that is faster than the window finds no network', async () => {
  const { stage, reopens, report } = await reconnecting(1009, 2207);
  expect(reopens).toEqual([]);
  expect(report.counts).toMatchObject({ drops: 2, attempts: 2, back: 2, blocked: 2, failedAttempts: 0 });
  expect(stage.drops).toEqual(Array(4).fill('0 reset'));
  expect(Math.min(...valuesOf(report.samples.offline))).toBeGreaterThan(2_199_000);
});

it('one that does not come back is left away, and nobody knows how often it tried', async () => {
  const { reopens, report } = await reconnecting();
  expect(reopens).toEqual([]);
  expect(report.counts).toMatchObject({ planned: 2, drops: 1, skipped: 1, back: 0, attempts: 0 });
  expect(report.causes.notBack).toEqual({ 'left to its library': 1 });
});

it('the client of one that does not reconnect is opened when its window is over', async () => {
  const { reopens, report } = await played({ ...given, reconnects: false });
  expect(reopens).toHaveLength(2);
  const offline = valuesOf(report.samples.offline);
  expect(Math.min(...offline)).toBeGreaterThanOrEqual(2_000_000);
  expect(Math.max(...offline)).toBeLessThanOrEqual(2_020_000);
});
