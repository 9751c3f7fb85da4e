import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import type { HeadlineColumn } from '../measure/declaration.js';
import { drawsOf } from '../measure/stats/bootstrap.js';
import type { RunResult } from '../results/result.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';
import { pairsIn, pairsOfProcesses, significance } from './significance.js';

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

describe('too few runs to show the spread between starts', () => {
  const [p50] = latency.headline;
  const draw = drawsOf(7919);
  const uniform = (): number => (draw(1_000_003) + 0.5) / 1_000_003;
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  /** A run of a server of this median. Its starts spread by 18 %, its blocks by 2 %. */
  const started = (median: number): RunResult => {
    const us = median * Math.exp(0.18 * normal() + 0.02 * normal());
    const intervals = { p50: [us * Math.exp(-0.04), us * Math.exp(0.04)] as [number, number] };
    return goldenResult({ metrics: { ...golden.metrics, delivery: { ...delivery, p50: us, intervals } } });
  };
  const tries = 1000;
  const share = (medians: readonly number[], runs: number): number => {
    let apart = 0;
    for (let each = 0; each < tries; each++) {
      const of = medians.map((median, n) => ({
        target: String(n),
        runs: Array.from({ length: runs }, () => started(median)),
      }));
      if (pairsOfProcesses(p50!, of, 0.05).some(({ isBeyondNoise }) => isBeyondNoise)) apart++;
    }
    return apart / tries;
  };

  it.each([1, 2])(
    'name an order of equal servers in at most one of twenty comparisons, with runs of each: %i',
    (runs) => {
      expect(share([1000, 1000], runs)).toBeLessThanOrEqual(0.05);
      expect(share([1000, 1000, 1000, 1000], runs)).toBeLessThanOrEqual(0.05);
    },
  );

  it('name an order of servers that differ by more than twice', () => {
    expect(share([1000, 2500], 1)).toBeGreaterThan(0.7);
    expect(share([1000, 2500], 2)).toBeGreaterThan(0.95);
  });

  it('name none without blocks, and one of shares by the rarer outcome', () => {
    const bare = { ...delivery, intervals: {} };
    const of = [1000, 9000].map((us, n) => ({
      target: String(n),
      runs: [goldenResult({ metrics: { ...golden.metrics, delivery: { ...bare, p50: us } } })],
    }));
    expect(pairsOfProcesses(p50!, of, 0.05)).toEqual([]);
    const delivered = latency.headline.find(({ kind }) => kind === 'share')!;
    const lossy = (lost: number) =>
      goldenResult({ ledger: { ...golden.ledger, expected: 10_000, delivered: 10_000 - lost } });
    const shares = (...lost: number[]) =>
      pairsOfProcesses(
        delivered,
        lost.map((each, n) => ({ target: String(n), runs: [lossy(each)] })),
        0.05,
      );
    expect(shares(0, 1300)).toMatchObject([{ isBeyondNoise: true }]);
    expect(shares(1300, 1400)).toMatchObject([{ isBeyondNoise: false }]);
    expect(shares(0, 3)).toMatchObject([{ isBeyondNoise: false }]);
  });
});
