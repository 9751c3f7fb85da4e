import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { goldenComparison, goldenRun, latency } from '../../test/kept-golden.js';
import { naming } from '../../test/refusal.js';
import { Blocks, blocksOf } from '../measure/samples/blocks.js';
import { summarize } from '../measure/samples/distribution.js';
import { intervalsOf } from '../measure/stats/estimate.js';
import { scenarioByName } from '../scenarios/list.js';
import { independentOf, unfinishedOf } from './figures.js';
import { ledgerBreaks, rechecked, recomputedRun } from './recheck.js';
import type { RunResult } from './result.js';

/** A run that lost 7 of its deliveries, of which both shards together timed half. */
function lossy(ledger: Record<string, number> = {}): RunResult {
  const golden = goldenResult();
  const losses = { ...golden.ledger, expected: 203_212, delivered: 203_205, lost: 7 };
  const metrics = Object.entries(golden.metrics).map(([name, metric]) => {
    const isLossy = latency.metrics[name]?.unfinished !== undefined;
    return [name, isLossy ? { ...metric, unfinished: Math.ceil((7 * metric.count) / 203_205) } : metric];
  });
  return { ...golden, ledger: { ...losses, ...ledger }, metrics: Object.fromEntries(metrics) };
}

const checked = (run: RunResult): RunResult => rechecked(run, latency);

it('a kept run is what it says where its counts add up', () => {
  for (const run of [goldenResult(), lossy()]) expect(checked(run).verdict).toEqual(run.verdict);
});

it('a kept run is void where they do not, with each sum that is off', () => {
  const edited = checked(lossy({ lost: 0 }));
  expect(edited.verdict).toMatchObject({ rig: 'void', evidence: [{ rule: 'ledger-broken', level: 'void' }] });
  expect(ledgerBreaks(edited)).toEqual([naming('expected 203212', 'delivered + lost = 203205')]);
  expect(ledgerBreaks(checked(lossy({ acked: 1005 })))).toEqual([naming('attempted 1006', '1005')]);
});

it('a kept run is void, too, where several counts were edited so that their sum comes out', () => {
  expect(ledgerBreaks(checked(lossy({ delivered: 203_212, lost: 0 })))).toEqual([naming('delivery', 'lost')]);
});

it('a kept run of an earlier version without some count has fewer sums', () => {
  const { refused: _, ...ledger } = goldenResult().ledger;
  expect(checked(goldenResult({ ledger })).verdict.rig).toBe('clean');
});

it('a kept run says once what the run itself had found', () => {
  const evidence = [{ rule: 'ledger-broken', level: 'void' as const, text: 'lost 7 is not 0' }];
  const run = lossy({ lost: 0 });
  const found = checked({ ...run, verdict: { rig: 'void', evidence } });
  expect(ledgerBreaks(found)).toEqual(['ledger-broken: lost 7 is not 0']);
});

it('a run inside a comparison is checked like one by itself', () => {
  const edited = goldenRun('ws', 1, { ledger: { ...goldenResult().ledger, lost: 1 } });
  const { rows } = rechecked(goldenComparison([goldenRun('ws', 1), edited]), latency);
  expect(rows[0]?.runs.map(({ result }) => result.verdict.rig)).toEqual(['clean', 'void']);
});

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
  const { metrics, verdict } = rechecked(older(broadcasts), latency);
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
  const figures = rechecked(kept, latency).environment.overTime.delivery?.map(({ p50, p99 }) => [p50, p99]);
  expect(figures).toEqual([
    [null, null],
    [743, null],
    [743, 5003],
  ]);
});

it('a run of an older version stays as it is once it was read', () => {
  const once = rechecked(older(101), latency);
  expect(rechecked(once, latency)).toEqual(once);
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
  const found = rechecked({ ...comparison, rows }, latency);
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

const broadcasts = 101;
const times = Array.from({ length: broadcasts }, (_, broadcast) => 1009 + 13 * ((broadcast * 37) % broadcasts));
const blocks = new Blocks(broadcasts);
times.forEach((us, broadcast) => {
  for (let delivery = 0; delivery < 7; delivery++) blocks.record(broadcast, us + delivery);
});
const series = { [blocksOf('delivery')]: blocks.finish() };

/** A run whose deliveries take these times, 13 of them lost. */
const values = Uint32Array.from(
  times.flatMap((us) => Array.from({ length: 7 }, (_, delivery) => us + delivery)),
).sort();
const summary = summarize({ kind: 'raw', values }, 'us', 13, broadcasts);
const golden = goldenResult();
const run: RunResult = {
  ...golden,
  metrics: {
    ...golden.metrics,
    delivery: {
      ...summary,
      intervals: intervalsOf(summary, blocks.finish(), golden.job.seed),
    } as RunResult['metrics'][string],
  },
};
const withIntervals = (intervals: RunResult['metrics'][string]['intervals']): RunResult => ({
  ...run,
  metrics: { ...run.metrics, delivery: { ...run.metrics.delivery!, intervals } },
});
const kept = run.metrics.delivery!.intervals;

it('the intervals of a kept run are those of its blocks and its seed again, whatever its document says', () => {
  const [low, high] = kept.p50!;
  expect(Object.keys(kept)).toEqual(['p50', 'p90', 'p95']);
  expect(recomputedRun(run, series)).toEqual(run);
  expect(recomputedRun(withIntervals({ ...kept, p50: [low, high * 1.01], p999: [low, high] }), series)).toEqual(run);
});

it('the intervals of a kept run stay as they are where no blocks were kept', () => {
  const altered = withIntervals({ p50: [7, 11] });
  expect(recomputedRun(altered, {})).toEqual(altered);
});
