import { expect, it } from 'vitest';
import { IdleTurns } from './timers.js';

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
