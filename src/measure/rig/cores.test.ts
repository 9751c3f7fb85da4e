import { describe, expect, it, test } from 'vitest';
import { busyShare, coreSpeed, coresBetween, parseCores, stolenShare } from './cores.js';

it('reads ticks of each core: waiting for a disk is idle, a guest counts once, stolen time is neither', () => {
  const text =
    'cpu  200 20 60 1400 40 6 14 2 30 0\ncpu0 100 10 30 700 20 3 7 1 15 0\ncpu11 101 11 31 701 21 5 9 3 17 0\nintr 7\n';
  expect(parseCores(text)).toEqual([
    { core: 'cpu0', busy: 150, idle: 720, stolen: 1 },
    { core: 'cpu11', busy: 157, idle: 722, stolen: 3 },
  ]);
});

describe('cores between two readings', () => {
  const before = parseCores('cpu0 100 0 0 900 0 0 0 0\ncpu1 7 0 0 7 0 0 0 0\ncpu2 1 0 0 1 0 0 0 0\n');
  // The kernel took a tick of idle time back from cpu1; cpu2 stood still; cpu3 is new.
  const after = parseCores(
    'cpu0 130 0 0 920 0 0 0 50\ncpu1 11 0 0 6 0 0 0 0\ncpu2 1 0 0 1 0 0 0 0\ncpu3 5 0 0 5 0 0 0 5\n',
  );
  const since = coresBetween(before, after);

  it('are those that both tell of, and none runs backwards', () => {
    expect(since).toEqual([
      { core: 'cpu0', busy: 30, idle: 20, stolen: 50 },
      { core: 'cpu1', busy: 4, idle: 0, stolen: 0 },
    ]);
  });

  it('were busy for a share of the time that the machine had them', () => {
    expect(since.map(busyShare)).toEqual([0.6, 1]);
    expect(busyShare({ busy: 0, idle: 0 })).toBe(0);
  });

  it('had a share stolen, of the time of all together', () => {
    expect(stolenShare(since)).toBeCloseTo(50 / 104, 12);
    expect(stolenShare([])).toBeUndefined();
  });
});

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
