import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { nowNs } from '../measure/rig/clock.js';
import { IdleTurns, sleep, until } from './timers.js';

/** What is idle of turns that end so many microseconds after a first one. */
function idleUs(...ends: number[]): number {
  const turns = new IdleTurns();
  for (const us of [0, ...ends]) turns.turned(7e9 + us * 1000);
  return turns.idleMs * 1000;
}

it('is the time of short turns, and none of one in which something may have been done', () => {
  expect(idleUs(2, 5, 7)).toBeCloseTo(7, 9);
  expect(idleUs(2, 5, 19, 22)).toBeCloseTo(8, 9);
  expect(idleUs(11, 23, 36, 50)).toBe(0);
});

it('is none of the time between two waits', () => {
  expect(idleUs(3, 5003, 5005)).toBeCloseTo(5, 9);
});

it('counts the turns of several waits at once no more than once', () => {
  expect(idleUs(3, 3, 3, 5, 5, 5)).toBeCloseTo(5, 9);
});

it('waits until its time over one listener of the signal, and not at all once that is aborted', async () => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const dueNs = nowNs() + 7e6;
  await Promise.all([sleep(1, signal), until(dueNs, signal)]);
  expect(nowNs()).toBeGreaterThanOrEqual(dueNs);
  const hour = 3_600_000;
  const asleep = Promise.all([sleep(hour, signal), sleep(hour, signal), until(nowNs() + hour * 1e6, signal)]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  stopping.abort();
  await asleep;
  await Promise.all([sleep(hour, signal), until(nowNs() + hour * 1e6, signal)]);
});
