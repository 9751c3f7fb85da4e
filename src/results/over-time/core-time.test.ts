import { expect, it } from 'vitest';
import { coreWaitShare, type TargetReadings, targetCoreWaitMs } from './readings.js';

const series = (
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

const environment = (...observations: TargetReadings['observations']): TargetReadings => ({
  loadAtMs: 1500,
  stages: [
    { name: 'ramp', fromMs: 1500, toMs: 2000 },
    { name: 'publish', fromMs: 2000, toMs: 3250 },
  ],
  observations,
});

it('adds up what all processes of the target waited for a core while the load was on', () => {
  const one = series('7', [
    [1000, 100],
    [2000, 10],
    [3000, 20],
    [4000, 40],
  ]);
  expect(targetCoreWaitMs(environment(one))).toBeCloseTo(50 + 200 + 100, 9);
  const other = series('11', [
    [2000, 100],
    [3000, 100],
  ]);
  expect(targetCoreWaitMs(environment(one, other))).toBeCloseTo(1350, 9);
});

it('is unknown where nobody observed it', () => {
  expect(targetCoreWaitMs(environment())).toBeNull();
  expect(targetCoreWaitMs(environment(series('7', [])))).toBeNull();
});

it('is a share of the core time that the target wanted in all runs', () => {
  const waited = series('7', [
    [1000, 0],
    [2500, 30],
  ]);
  const ran = series(
    '7',
    [
      [1000, 0],
      [2500, 90],
    ],
    'cpuPercent',
  );
  expect(coreWaitShare([environment(waited, ran), environment(waited, ran)])).toBeCloseTo(0.25, 9);
  expect(coreWaitShare([environment(waited, ran), environment()])).toBeNull();
});
