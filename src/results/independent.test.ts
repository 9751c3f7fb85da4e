import { describe, expect, it } from 'vitest';
import { goldenComparison, goldenRun, latency } from '../../test/kept-golden.js';
import { scenarioByName } from '../scenarios/list.js';
import { carriedOnly, independentOf, unfinishedOf } from './independent.js';
import type { RunResult } from './result.js';

/** A golden run as an older version kept it: of so many broadcasts, with all percentiles of its deliveries. */
function older(broadcasts: number): RunResult {
  const run = goldenRun('ws', 1);
  const { independent: _, ...delivery } = run.metrics.delivery as RunResult['metrics'][string];
  return {
    ...run,
    ledger: { ...run.ledger, acked: broadcasts },
    metrics: { ...run.metrics, delivery: { ...delivery, p999: 13_007 } },
    verdict: {
      ...run.verdict,
      bounds: (['p50', 'p99'] as const).map((figure) => ({
        metric: 'delivery',
        figure,
        leastUs: 1,
        text: 'it waited',
      })),
    },
  };
}

describe('how many samples are independent', () => {
  const delivery = latency.metrics.delivery;

  it('is how many broadcasts the ledger has, and no more than there are samples', () => {
    expect(independentOf(delivery, 20_200, { acked: 101 })).toBe(101);
    expect(independentOf(delivery, 7, { acked: 101 })).toBe(7);
  });

  it('is not told where each sample is one, or the ledger does not say', () => {
    expect(independentOf(latency.metrics.connect, 202, { acked: 101 })).toBeUndefined();
    expect(independentOf(delivery, 202, {})).toBeUndefined();
  });
});

it.each([
  [9, []],
  [10, ['p50']],
  [50, ['p50', 'p90']],
  [100, ['p50', 'p90', 'p95']],
  [500, ['p50', 'p90', 'p95', 'p99']],
  [5000, ['p50', 'p90', 'p95', 'p99', 'p999']],
])('a run of an older version of %d broadcasts has %j, with their intervals and marks', (broadcasts, carried) => {
  const { metrics, verdict } = carriedOnly(older(broadcasts), latency);
  const delivery = metrics.delivery as RunResult['metrics'][string];
  const percentiles = (['p50', 'p90', 'p95', 'p99', 'p999'] as const).filter((name) => delivery[name] !== null);
  expect(percentiles).toEqual(carried);
  expect(Object.keys(delivery.intervals).filter((name) => !carried.includes(name))).toEqual([]);
  expect(verdict.bounds?.map(({ figure }) => figure) ?? []).toEqual(
    ['p50', 'p99'].filter((name) => carried.includes(name)),
  );
  expect(delivery).toMatchObject({ independent: broadcasts, max: 41_011 });
  expect(metrics.publishAck?.p99).toBe(2309);
});

it('a run of an older version has over time what the broadcasts due in each span carry', () => {
  const run = older(1006);
  const span = { count: 20_200, p50: 743, p99: 5003 };
  const spans = [
    { ...span, fromMs: 0, toMs: 900 },
    { ...span, fromMs: 900, toMs: 1900 },
    { ...span, fromMs: 1900, toMs: 51_900 },
  ];
  const kept = { ...run, environment: { ...run.environment, overTime: { delivery: spans } } };
  const figures = carriedOnly(kept, latency).environment.overTime.delivery?.map(({ p50, p99 }) => [p50, p99]);
  expect(figures).toEqual([
    [null, null],
    [743, null],
    [743, 5003],
  ]);
});

it('a run of an older version stays as it is once it was read', () => {
  const once = carriedOnly(older(101), latency);
  expect(carriedOnly(once, latency)).toEqual(once);
});

it('takes columns and pairs that no run carries from a comparison', () => {
  const runs = ['ws', 'uws'].flatMap((name, at) => [1, 1.1, 1.2].map((times) => goldenRun(name, times * (1 + at))));
  const comparison = goldenComparison(runs);
  const few = (run: RunResult): RunResult => ({ ...older(60), target: run.target });
  const rows = comparison.rows.map((row) => ({
    ...row,
    runs: row.runs.map((run) => ({ ...run, result: few(run.result) })),
  }));
  const columns = (of: typeof comparison) => [...new Set(of.pairs.map(({ column }) => column))];
  expect(columns(comparison)).toContain('p99');
  const found = carriedOnly({ ...comparison, rows }, latency);
  expect(columns(found)).toContain('p50');
  expect(columns(found)).not.toContain('p99');
  expect(found.rows.map(({ figures }) => figures.some(({ column }) => column === 'p99'))).toEqual([false, false]);
});

const spec = (scenario: string, metric: string) => scenarioByName(scenario)?.metrics[metric];

it('a lost delivery ranks behind those that came, at both ends of the bracket', () => {
  for (const metric of ['delivery', 'deliveryFromIntended', 'deliveryAtLeast'])
    for (const scenario of ['latency', 'throughput', 'whisper'])
      expect(unfinishedOf(spec(scenario, metric), 1009, { delivered: 1009, lost: 13 })).toBe(13);
  expect(unfinishedOf(spec('echo', 'roundTrip'), 1009, { delivered: 1009, lost: 13 })).toBe(13);
});

it('shards that time their own broadcasts alone take that part of the loss, rounded up', () => {
  expect(unfinishedOf(spec('latency', 'delivery'), 1009, { delivered: 3027, lost: 13 })).toBe(5);
  expect(unfinishedOf(spec('latency', 'delivery'), 0, { delivered: 3027, lost: 13 })).toBe(0);
});

it('answers, connects and deliveries of clients that were away have no such rank', () => {
  expect(unfinishedOf(spec('latency', 'publishAck'), 53, { delivered: 3027, lost: 13 })).toBe(0);
  expect(unfinishedOf(spec('jitter', 'delivery'), 53, { delivered: 3027, lost: 13 })).toBe(0);
});
