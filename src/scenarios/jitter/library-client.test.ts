import { expect, it } from 'vitest';
import { type Given, halfMinute, played, valuesOf } from './audience-on-stage.js';
import { dropInstants } from './schedule.js';

/** Client 3 of the run, alone; it is dropped twice in the half minute. */
const given: Given = {
  client: 'library',
  clientCount: 1,
  firstClient: 3,
  options: { patienceMs: 3000, everyMs: 17_000, spread: 'fixed' },
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

it('the client of a library comes back by itself, in its own time', async () => {
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

it('one that never reconnects is opened when the patience is over', async () => {
  const { reopens, report } = await reconnecting();
  expect(reopens).toHaveLength(2);
  const offline = valuesOf(report.samples.offline);
  expect(Math.min(...offline)).toBeGreaterThanOrEqual(5_000_000);
  expect(Math.max(...offline)).toBeLessThanOrEqual(5_020_000);
});
