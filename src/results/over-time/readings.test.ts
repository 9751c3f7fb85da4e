import { expect, it } from 'vitest';
import { coreWaitShare, rampReadings, readingIn, seriesIn, type TargetReadings, targetCoreWaitMs } from './readings.js';

type Environment = Parameters<typeof readingIn>[0];
type Observation = Environment['observations'][number];

const points = (values: readonly number[]) => values.map((value, n) => ({ atMs: 1000 + n * 1000, value }));
const series = (process: string, name: Observation['name'], values: readonly number[]): Observation => ({
  ...{ source: 'stats', process, name, unit: 'percent', points: points(values) },
});
const environment: Environment = {
  stages: [{ name: 'play', fromMs: 1500, toMs: 9000 }],
  observations: [
    series('1', 'cpuPercent', [1, 20, 30, 70, 90]),
    series('2', 'cpuPercent', [1, 2, 3, 5, 7]),
    series('1', 'eventLoopDelayP99Ms', [1, 2, 3, 5, 7]),
    series('2', 'eventLoopDelayP99Ms', [1, 1, 1, 11, 1]),
  ],
};

it('a reading is the median of a time of a stage, all processes together', () => {
  expect(readingIn(environment, 'play', 'cpuPercent', 0, 3000)).toBe(33);
  expect(readingIn(environment, 'play', 'cpuPercent', 1000, 2000)).toBe(33);
  expect(readingIn(environment, 'play', 'eventLoopDelayP99Ms', 0, 60_000)).toBe(7);
});

it('is none without a stage, a time or a reading', () => {
  expect(readingIn(environment, 'drain', 'cpuPercent', 0, 3000)).toBeNull();
  expect(readingIn(environment, 'play', 'cpuPercent', 100, 200)).toBeNull();
  expect(readingIn(environment, 'play', 'rssBytes', 0, 3000)).toBeNull();
});

const percents = (
  process: string,
  points: [atMs: number, value: number][],
  name: 'coreWaitPercent' | 'cpuPercent' = 'coreWaitPercent',
): TargetReadings['observations'][number] => ({
  source: 'proc',
  name,
  unit: 'percent',
  process,
  points: points.map(([atMs, value]) => ({ atMs, value })),
});

const loadOf = (...observations: TargetReadings['observations']): TargetReadings => ({
  loadAtMs: 1500,
  stages: [
    { name: 'ramp', fromMs: 1500, toMs: 2000 },
    { name: 'publish', fromMs: 2000, toMs: 3250 },
  ],
  observations,
});

it('adds up what all processes of the target waited for a core while the load was on', () => {
  const one = percents('7', [
    [1000, 100],
    [2000, 10],
    [3000, 20],
    [4000, 40],
  ]);
  expect(targetCoreWaitMs(loadOf(one))).toBeCloseTo(50 + 200 + 100, 9);
  const other = percents('11', [
    [2000, 100],
    [3000, 100],
  ]);
  expect(targetCoreWaitMs(loadOf(one, other))).toBeCloseTo(1350, 9);
});

it('is unknown where nobody observed it', () => {
  expect(targetCoreWaitMs(loadOf())).toBeNull();
  expect(targetCoreWaitMs(loadOf(percents('7', [])))).toBeNull();
});

it('is a share of the core time that the target wanted in all runs', () => {
  const waited = percents('7', [
    [1000, 0],
    [2500, 30],
  ]);
  const ran = percents(
    '7',
    [
      [1000, 0],
      [2500, 90],
    ],
    'cpuPercent',
  );
  expect(coreWaitShare([loadOf(waited, ran), loadOf(waited, ran)])).toBeCloseTo(0.25, 9);
  expect(coreWaitShare([loadOf(waited, ran), loadOf()])).toBeNull();
});

it('has the figures of a query from the start of the load on', () => {
  const query = { ...series('heap', 'cpuPercent', [1, 20, 30, 10]), name: 'query', source: 'prometheus' } as const;
  const other = series('7', 'cpuPercent', [1000]);
  const observations = [query, { ...query, points: [{ atMs: 9000, value: 40 }] }, other];
  expect(seriesIn({ observations, loadAtMs: 2000 })).toEqual({ heap: { min: 10, max: 40, mean: 25, last: 40 } });
  expect(seriesIn({ observations, loadAtMs: 10_000 })).toEqual({});
});

it('reads the ramp of a run of days', () => {
  const opened = Array.from({ length: 200_003 }, (_, second) => (second < 7 ? 100 : 0));
  const points = [1500, 2500, 100_000].map((atMs) => ({ atMs, value: 1_000_000 + atMs }));
  const series = [{ source: 'proc', name: 'rssBytes', unit: 'bytes', process: '7', points }] as const;
  const read = rampReadings(
    series.map((each) => ({ ...each, points: [...each.points] })),
    { opened },
    0,
  );
  expect(read).toEqual([
    [150, 1_001_500],
    [250, 1_002_500],
  ]);
});
