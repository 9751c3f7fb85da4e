import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { type MetricName, metricTable, type Series } from '../../measure/series.js';
import { acceptOverflow, corePinned, descriptorWall, memoryWall } from './evidence.js';

/** A series with a value for each second. */
function series(name: MetricName, values: number[], more: Partial<Series> = {}): Series {
  const points = values.map((value, index) => ({ atMs: index * 1000, value }));
  return { source: 'proc', name, unit: metricTable[name].unit, points, ...more };
}

describe('the memory wall', () => {
  const limits = { memoryBytes: 1e9 };

  it('is near when resident memory came within 3 % of its limit, also for one reading', () => {
    expect(memoryWall([series('rssBytes', [7e8, 9.7e8, 9e8])], limits)).toEqual([
      { wall: 'memoryWall', evidence: naming('970 MB', '1,000 MB', '1.0 s') },
    ]);
    expect(memoryWall([series('rssBytes', [7e8, 9.69e8, 9e8])], limits)).toEqual([]);
  });

  it('is judged by what all processes had at one instant', () => {
    const two = [series('rssBytes', [5e8, 3e8], { process: '7' }), series('rssBytes', [3e8, 6.8e8], { process: '11' })];
    expect(memoryWall(two, limits)).toMatchObject([{ evidence: naming('980 MB', '1,000 MB', '1.0 s') }]);
    const apart = [
      series('rssBytes', [5e8, 3e8], { process: '7' }),
      series('rssBytes', [3e8, 6.6e8], { process: '11' }),
    ];
    expect(memoryWall(apart, limits)).toEqual([]);
  });

  it('does not add up two views of one process', () => {
    const views = [series('rssBytes', [6e8]), series('rssBytes', [6e8], { source: 'stats' })];
    expect(memoryWall(views, limits)).toEqual([]);
  });

  it('is near when less than 3 % of the machine is left', () => {
    const machine = { machineMemoryBytes: 1e9 };
    expect(memoryWall([series('memAvailableBytes', [5e8, 2.9e7, 4e7])], machine)).toEqual([
      { wall: 'memoryWall', evidence: naming('29 MB', '1,000 MB', '1.0 s') },
    ]);
    expect(memoryWall([series('memAvailableBytes', [5e8, 3e7, 4e7])], machine)).toEqual([]);
  });

  it('is not judged without a limit, nor without a point', () => {
    const full = [series('rssBytes', [9.9e8]), series('memAvailableBytes', [7])];
    expect(memoryWall(full, {})).toEqual([]);
    const empty = [series('rssBytes', []), series('memAvailableBytes', [])];
    expect(memoryWall(empty, { memoryBytes: 0, machineMemoryBytes: 1e9 })).toEqual([]);
  });
});

describe('a pinned core', () => {
  const cores = (...busy: number[]): Series[] =>
    busy.map((each, index) => series('coreBusyPercent', [3, 3, each, each, each], { process: `cpu${index}` }));
  const thread = (...values: number[]): Series => series('busiestThreadPercent', values, { process: '7' });

  it('is a thread that took one in its last three intervals while the others idled', () =>
    expect(corePinned([thread(7, 11, 95, 99, 100), ...cores(98, 10, 20, 8)])).toEqual([
      {
        wall: 'corePinned',
        evidence: naming('process 7', '95 %, 99 %, 100 %', '3 cores', '13 %'),
      },
    ]));

  it.each([
    ['for two intervals alone', [thread(7, 11, 94, 99, 100), ...cores(98, 10)]],
    ['no longer', [thread(100, 100, 100, 100, 94), ...cores(98, 10)]],
    ['with too few points', [thread(100, 100), ...cores(98, 10)]],
    ['while the others were busy', [thread(7, 11, 100, 100, 100), ...cores(100, 50)]],
    ['while the target itself kept the others busy', [thread(7, 11, 100, 100, 100), ...cores(80, 71)]],
    ['on a machine of one core', [thread(7, 11, 100, 100, 100), ...cores(100)]],
    ['where nothing is known of the cores', [thread(7, 11, 100, 100, 100)]],
  ])('is none %s', (_, given) => expect(corePinned(given)).toEqual([]));

  it('is one also when the thread wanders from core to core', () =>
    expect(corePinned([thread(7, 11, 100, 100, 100), ...cores(60, 55, 15)])).toMatchObject([
      { evidence: naming('2 cores', '15 %') },
    ]));

  it('is not judged by cores of another time', () => {
    const [early, late] = cores(98, 10) as [Series, Series];
    late.points = late.points.slice(0, 1);
    expect(corePinned([thread(7, 11, 100, 100, 100), early, late])).toEqual([]);
  });
});

describe('an accept overflow', () => {
  it('is any', () =>
    expect(acceptOverflow([series('acceptQueueOverflowsPerSecond', [0, 3.5, 0, 17])])).toEqual([
      {
        wall: 'acceptOverflow',
        evidence: naming('2 of 4', 17, '3.0 s'),
      },
    ]));

  it('is none where there was none', () => {
    expect(acceptOverflow([series('acceptQueueOverflowsPerSecond', [0, 0])])).toEqual([]);
    expect(acceptOverflow([])).toEqual([]);
  });
});

describe('the descriptor wall', () => {
  const limit = (value: number, process = '7'): Series => series('descriptorLimit', [value], { process });
  const open = (...values: number[]): Series => series('descriptors', values, { process: '7' });

  it('is near with 98 % of them open, also for one reading', () => {
    expect(descriptorWall([limit(20_000), open(11, 19_600, 19_000)])).toEqual([
      {
        wall: 'descriptorWall',
        evidence: naming('process 7', '19,600 of 20,000', '1.0 s'),
      },
    ]);
    expect(descriptorWall([limit(20_000), open(11, 19_599, 19_000)])).toEqual([]);
  });

  it('is judged by the limit of that process alone', () => {
    expect(descriptorWall([limit(101, '11'), limit(20_000), open(19_000)])).toEqual([]);
    expect(descriptorWall([limit(101, '11'), open(19_000)])).toEqual([]);
    expect(descriptorWall([{ ...limit(101), source: 'prometheus' }, open(19_000)])).toEqual([]);
  });
});
