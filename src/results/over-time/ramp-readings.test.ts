import { expect, it } from 'vitest';
import { rampReadings } from './readings.js';

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
