import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import type { HeadlineColumn } from '../measure/declaration.js';
import type { RunResult } from '../results/result.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';
import { pairsIn, significance } from './significance.js';

const latency = scenarioByName('latency')!;
const golden = goldenResult();
const delivery = golden.metrics.delivery!;
const run = (p50: number) => goldenResult({ metrics: { ...golden.metrics, delivery: { ...delivery, p50 } } });
/** Every round is slower than the one before, for both targets alike. */
const drift = [1000, 2100, 3900, 8200];
const contenders = [
  { target: 'a', runs: drift.map((us, n) => run(us * 1.3 + n)) },
  { target: 'b', runs: drift.map((us) => run(us)) },
];
const p50Of = (isInRounds: boolean, of = contenders) =>
  significance(latency, of, isInRounds).pairs.find(({ column }) => column === 'p50');

describe('runs that went in rounds', () => {
  it('are told apart by what the rounds do not share', () => {
    expect(p50Of(false)).toMatchObject({ isBeyondNoise: false });
    expect(p50Of(true)).toMatchObject({ a: 'a', b: 'b', isBeyondNoise: true, ratio: expect.closeTo(1.3, 2) });
  });

  it('say nothing of a target with fewer than three, which hides no other pair', () => {
    const withFew = [...contenders, { target: 'c', runs: [run(7), run(7)] }];
    expect(significance(latency, withFew, true).pairs.some(({ b }) => b === 'c')).toBe(false);
    expect(p50Of(true, withFew)).toEqual(p50Of(true));
  });
});

const column: HeadlineColumn = { title: 'lost', kind: 'count', entry: 'lost' };
const scenario: Scenario = { ...(scenarioByName('latency') as Scenario), headline: [column] };

/** The only pair of two targets of which every run lost that many. */
const pairOf = (one: number, other: number) => {
  const runs = (lost: number): RunResult[] =>
    [1, 2, 3].map(() => goldenResult({ ledger: { ...goldenResult().ledger, lost } }));
  const contenders = [one, other].map((lost, n) => ({ target: String(n), runs: runs(lost) }));
  return significance(scenario, contenders, true);
};

it('counts that agree in all runs still vary by chance', () => {
  expect(pairOf(1, 2).pairs).toMatchObject([{ ratio: 0.5, isBeyondNoise: false }]);
  expect(pairOf(101, 211).pairs).toMatchObject([{ isBeyondNoise: true }]);
});

it('their figure has no interval, as their runs show no spread', () => {
  expect(pairOf(1, 2).figures).toMatchObject([[{ median: 1, interval: null }], [{ median: 2, interval: null }]]);
});

it('the pairs of one column are judged at the level that is asked for', () => {
  const runs = (lost: number): RunResult[] =>
    [1, 2, 3].map(() => goldenResult({ ledger: { ...goldenResult().ledger, lost } }));
  const of = [101, 151].map((lost, n) => ({ target: String(n), runs: runs(lost) }));
  expect(pairsIn(column, of, 0.05)).toMatchObject([{ a: '0', b: '1', isBeyondNoise: true }]);
  expect(pairsIn(column, of, 1e-9)).toMatchObject([{ isBeyondNoise: false }]);
  const [p50] = latency.headline;
  expect(pairsIn(p50!, contenders, 0.05)).toMatchObject([{ isBeyondNoise: true }]);
  expect(pairsIn(p50!, contenders, 1e-12)).toMatchObject([{ isBeyondNoise: false }]);
});
