import { expect, it } from 'vitest';
import type { RunResult } from '../results/result.js';
import type { Scenario } from '../scenarios/scenario.js';
import { meanwhileLine } from './run-details.js';

type Observations = RunResult['environment']['observations'];

const scenario: Pick<Scenario, 'disruption' | 'stages'> = {
  disruption: { kind: 'restartTarget', gate: 'restart', signal: () => 'SIGTERM', failed: () => undefined },
  stages: [
    { name: 'calm', gate: 'start', summary: '' },
    { name: 'storm', gate: 'restart', summary: '' },
  ],
};

const series = (name: string, source: string, process: string, points: [number, number][]) => ({
  ...{ source, name, process, unit: 'percent' },
  points: points.map(([atMs, value]) => ({ atMs, value })),
});

const ran = (observations: unknown[]) =>
  ({
    environment: {
      stages: [
        { name: 'calm', fromMs: 0, toMs: 1009 },
        { name: 'storm', fromMs: 1301, toMs: 3001 },
      ],
      observations: observations as Observations,
    },
  }) as Pick<RunResult, 'environment'>;

it('the target is what its processes had together in the storm, by one source, and what its host counted', () => {
  const [line] = meanwhileLine(
    ran([
      series('cpuPercent', 'proc', '7', [
        [997, 89],
        [1999, 11],
        [2503, 31],
        [3499, 97],
      ]),
      series('cpuPercent', 'proc', '11', [
        [1999, 2],
        [2503, 7],
      ]),
      series('cpuPercent', 'stats', '7', [[2003, 1009]]),
      series('acceptQueueOverflowsPerSecond', 'proc', '', [
        [997, 5],
        [1999, 0],
        [2503, 13],
        [2903, 17],
      ]),
    ]),
    scenario,
  );
  expect(line?.match(/\d+/g)?.map(Number)).toEqual([26, 38, 100, 2, 3]);
});

it('the target says nothing where nothing was seen, or nothing restarted', () => {
  expect(meanwhileLine(ran([]), scenario)).toEqual([]);
  expect(meanwhileLine(ran([series('cpuPercent', 'proc', '7', [[1999, 11]])]), { stages: scenario.stages })).toEqual(
    [],
  );
});
