import { expect, test } from 'vitest';
import { coreSpeed } from './core-speed.js';

/** A clock on which the readings take what they are told to, in nanoseconds, and the last of them over and over. */
function clockOf(...tookNs: number[]): () => number {
  let [atNs, calls] = [7e9, 0];
  return () => {
    const reading = Math.floor(calls / 2);
    if (calls++ % 2 === 1) atNs += tookNs[Math.min(reading, tookNs.length - 1)] as number;
    return atNs;
  };
}

test('is that of the reading in which nobody took the core away', () => {
  expect(coreSpeed(clockOf(3e6, 1_500_000, 300_000, 900_000))).toBe(1000);
});

test('halves with the speed of the core', () => {
  expect(coreSpeed(clockOf(1_000_000))).toBe(2 * coreSpeed(clockOf(2_000_000)));
});

test('is a number on a clock that stands still', () => {
  expect(coreSpeed(clockOf(0))).toBe(300_000_000);
});

test('is something on the clock of this host', () => {
  const speed = coreSpeed();
  expect(speed).toBeGreaterThan(0);
  expect(speed).toBeLessThan(100_000);
});
