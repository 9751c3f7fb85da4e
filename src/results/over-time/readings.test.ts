import { expect, it } from 'vitest';
import { readingIn } from './readings.js';

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
