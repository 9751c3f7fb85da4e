import { describe, expect, it } from 'vitest';
import { busyShare, coresBetween, parseCores, stolenShare } from './cores.js';

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
