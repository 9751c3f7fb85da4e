import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import type { RunResult } from '../../results/result.js';
import { type HeadlineColumn, type Scenario, scenarioByName } from '../../run/catalog.js';
import { significance } from './significance.js';

const column: HeadlineColumn = { title: 'lost', kind: 'count', entry: 'lost' };
const scenario: Scenario = { ...(scenarioByName('latency') as Scenario), headline: [column] };

/** The only pair of two targets of which every run lost that many. */
const pairOf = (one: number, other: number) => {
  const runs = (lost: number): RunResult[] =>
    [1, 2, 3].map(() => goldenResult({ ledger: { ...goldenResult().ledger, lost } }));
  const contenders = [one, other].map((lost, n) => ({ target: String(n), runs: runs(lost) }));
  return significance(scenario, contenders);
};

it('counts that agree in all runs still vary by chance', () => {
  expect(pairOf(1, 2).pairs).toMatchObject([{ ratio: 0.5, isBeyondNoise: false }]);
  expect(pairOf(101, 211).pairs).toMatchObject([{ isBeyondNoise: true }]);
});

it('their figure has no interval, as their runs show no spread', () => {
  expect(pairOf(1, 2).figures).toMatchObject([[{ median: 1, interval: null }], [{ median: 2, interval: null }]]);
});
