import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { goldenRun } from '../../../test/kept-golden.js';
import { smallSource } from '../../../test/published.js';
import { latency, scenarioCalled } from '../../../test/scenarios.js';
import type { Comparison } from '../../results/comparison.js';
import type { KeptPairedRatio, Paired } from '../../results/paired.js';
import { type PublishedTable, type ReproducedPair, tablesOf } from '../../results/published.js';
import type { RunResult } from '../../results/result.js';
import { columnOf, figureOfRun, publishedPairs, reproducedFigures, tooFew, whyUncarried } from './figures.js';

const small = tablesOf(smallSource)[0] as PublishedTable;
const golden = goldenResult();

/** A run in which half of the broadcasts took so long; `leastUs` is what is left of it without the rig. */
function timed(p50: number, leastUs = p50, more: Partial<RunResult> = {}): RunResult {
  const { delivery, deliveryAtLeast } = golden.metrics;
  const metrics = {
    ...golden.metrics,
    delivery: { ...delivery!, p50 },
    deliveryAtLeast: { ...deliveryAtLeast!, p50: leastUs },
  };
  return goldenResult({ metrics, ...more });
}

const ran = (target: string, runs: readonly RunResult[]): Comparison['rows'][number] => ({
  ...{ target, state: 'ran', why: '', figures: [] },
  runs: runs.map((result) => ({ directory: 'd', result })),
});

/** The pairs of a table, of these runs by target. */
function pairs(
  runs: Readonly<Record<string, readonly RunResult[]>>,
  figures = small.figures.filter(({ target }) => target in runs),
): ReproducedPair[] {
  const rows = Object.entries(runs).map(([target, own]) => ran(target, own));
  const found = reproducedFigures({ ...small, figures }, latency, { rows } as Comparison);
  return publishedPairs(found, latency, { rows }).map(({ ratio: _, interval: __, ...each }) => each);
}

const times = (...us: number[]): RunResult[] => us.map((each) => timed(each));

const pair = { metric: 'delivery.p50', a: 'uws', b: 'ws' };

const voided = timed(1020, 1020, { verdict: { rig: 'void', evidence: [] } });
const [same, other] = [
  { ...pair, holds: 'yes' },
  { ...pair, holds: 'no' },
];
const open = (because: string) => ({ ...pair, holds: 'open', because });
const ofProcesses = (found: object) => ({ ...found, isOfProcesses: true });
const wsRun = (factor: number): RunResult[] => [goldenRun('ws', factor)];
const uwsRun = (factor: number): RunResult[] => [goldenRun('uws', factor)];
const rigged = (...us: number[]): RunResult[] => us.map((each) => timed(each, each / 3));

it.each<[string, RunResult[], RunResult[], object]>([
  ['published', times(1000, 1010, 1020), times(400, 405, 410), same],
  ['another', times(400, 405, 410), times(1000, 1010, 1020), other],
  ['open within chance', times(400, 1000, 2000), times(500, 900, 1900), open('chance')],
  ['one of processes with fewer than three runs', wsRun(1), uwsRun(3), ofProcesses(other)],
  ['one of processes with void runs', [...wsRun(3), voided, voided], uwsRun(1), ofProcesses(same)],
  ['open for close processes', wsRun(1), uwsRun(0.9), ofProcesses(open('chance'))],
  ['open without blocks', times(1000, 1010), times(400, 405), open('fewRuns')],
  ['open without a valid run', times(1000), [voided], open('fewRuns')],
  // It must hold with and without what the rig may have added.
  ['open if the higher one is so by the rig', rigged(1000, 1010, 1020), times(400, 405, 410), open('rig')],
  ['open if the higher one may be the lower', times(400, 405, 410), rigged(1000, 1010, 1020), open('rig')],
  ['published if only the lower one has more', times(1000, 1010, 1020), rigged(400, 405, 410), same],
])('the order of two contenders is %s', (_what, ws, uws, expected) => {
  expect(pairs({ ws, uws })).toEqual([expected]);
});

it('the order of two contenders is open where one did not run, or its percentile has too few samples', () => {
  const [p50] = small.figures;
  const two = [2, 3].map((value, at) => ({ ...p50!, id: `f${at}`, target: ['uws', 'ws'][at]!, value }));
  expect(pairs({ ws: times(1000) }, two)).toEqual([{ ...pair, holds: 'open', because: 'absent' }]);
  const { delivery } = golden.metrics;
  const few = goldenResult({ metrics: { ...golden.metrics, delivery: { ...delivery!, p50: null } } });
  expect(pairs({ ws: times(1000), uws: [few] })).toEqual([{ ...pair, holds: 'open', because: 'fewSamples' }]);
});

it('the figures of contenders in turn are medians over starts, and tails over all rounds', () => {
  const rounds = (us: number) => ({ p50Us: [us, null, us + 20] });
  const paired = {
    targets: [{ target: 'ws', p50Us: 1010, p50AtLeastUs: 505, tail: { figure: 'p95', us: 3000 } }],
    starts: [[rounds(900)], [rounds(1000)]],
  } as unknown as Paired;
  const [p50] = small.figures.filter(({ target }) => target === 'ws');
  const figures = ['delivery.p50', 'delivery.p95', 'delivery.p99'].map((metric) => ({ ...p50!, id: metric, metric }));
  const of = { rows: [], paired } as unknown as Comparison;
  expect(reproducedFigures({ ...small, figures }, latency, of).map(({ row }) => row.measured)).toEqual([
    { median: 0.9, least: 0.9, most: 1, interval: null, runs: 2, atLeast: 0.45 },
    { median: 3, least: 3, most: 3, interval: null, runs: 1 },
    null,
  ]);
});

it('the order of medians is that of the rounds which contenders had in turn', () => {
  const rows = [ran('ws', times(1000)), ran('uws', times(900))];
  const judge = (kept: Partial<KeptPairedRatio>) => {
    const paired = { pairs: [{ a: 'ws', b: 'uws', ...kept }] } as unknown as Paired;
    const found = reproducedFigures({ ...small, figures }, latency, { rows } as Comparison);
    return publishedPairs(found, latency, { rows, paired });
  };
  const figures = small.figures.filter(({ target }) => ['ws', 'uws'].includes(target));
  const [ratio, joint, missing] = [2, [1.9, 2.1] as [number, number], null];
  const interval = [1 / 2.1, 1 / 1.9];
  expect(judge({ ratio, joint, missing, holds: 'yes' })).toEqual([{ ...pair, holds: 'yes', ratio: 0.5, interval }]);
  expect(judge({ ratio: 0.5, joint, missing, holds: 'yes' })).toMatchObject([{ holds: 'no', ratio: 2 }]);
  expect(judge({ ratio, joint, missing, holds: 'no' })).toMatchObject([{ holds: 'open', because: 'equal' }]);
  expect(judge({ ratio, joint, missing, holds: 'open', because: 'neighbours' })).toMatchObject([
    { holds: 'open', because: 'neighbours' },
  ]);
  const lost = { ratio: null, joint: null, holds: 'yes' as const };
  expect(judge({ ...lost, missing: 'a' })).toEqual([{ ...pair, holds: 'yes' }]);
  expect(judge({ ...lost, missing: 'b' })).toEqual([{ ...pair, holds: 'no' }]);
});

it('the order of two contenders is not judged where no scoreboard has the figure', () => {
  const [first] = small.figures;
  const rss = (target: string, value: number) => ({
    ...{ ...first!, id: target, target, value, metric: 'targetRss.max', unit: 'MB' as const },
  });
  const found = pairs({ ws: times(1, 2, 3), uws: times(1, 2, 3) }, [rss('ws', 50), rss('uws', 20)]);
  expect(found).toMatchObject([{ holds: 'open', because: 'noFigure' }]);
});

describe('the pairs of a table', () => {
  const [first] = small.figures;
  const figure = (target: string, value: number, more = {}) => ({
    ...{ ...first!, id: `${target}-${value}`, target, value, ...more },
  });
  const runs = { ws: times(1000, 1010, 1020), uws: times(400, 405, 410) };
  const paired = (...figures: PublishedTable['figures']) => pairs(runs, figures).map(({ a, b }) => [a, b]);

  it('are of contenders whose published values lie apart, once per metric', () => {
    expect(paired(figure('ws', 3), figure('ws', 4), figure('uws', 1), figure('uws', 2))).toEqual([['uws', 'ws']]);
    expect(paired(figure('ws', 2), figure('ws', 4), figure('uws', 1), figure('uws', 3))).toEqual([]);
    expect(paired(figure('ws', 2), figure('uws', 2))).toEqual([]);
  });

  it('take a value as its source qualifies it', () => {
    expect(paired(figure('ws', 3), figure('ws', 1, { bound: 'atLeast' }), figure('uws', 2))).toEqual([]);
    expect(paired(figure('ws', 3, { bound: 'below' }), figure('uws', 2))).toEqual([]);
    expect(paired(figure('ws', 3, { bound: 'atLeast' }), figure('uws', 2))).toEqual([['uws', 'ws']]);
    expect(paired(figure('ws', 21, { bound: 'about' }), figure('uws', 20))).toEqual([]);
    expect(paired(figure('ws', 30, { bound: 'about' }), figure('uws', 20))).toEqual([['uws', 'ws']]);
  });
});

const board = (rows: Comparison['rows']): Comparison => ({ rows }) as Comparison;

it.each([
  ['delivery.p50', 743],
  ['lost', 0],
  ['delivered share', 1],
  ['targetRss.max', 61_865_984],
  ['bytesPerConnection', undefined],
  ['connect.p50', undefined],
  ['lost share', undefined],
  ['delivery.colour', undefined],
  ['full CPU, in words', undefined],
])('a figure of a run %s is %s', (metric, value) => {
  expect(figureOfRun(metric, latency, golden)?.value).toBe(value);
});

it('a figure of a run has its interval within the run', () => {
  const delivery = { ...golden.metrics.delivery!, intervals: { p50: [701, 797] as [number, number] } };
  const run = goldenResult({ metrics: { ...golden.metrics, delivery } });
  expect(figureOfRun('delivery.p50', latency, run)).toEqual({ value: 743, within: [701, 797] });
});

const steps = scenarioCalled('steps');

it.each([
  ['delivery.p50', latency, { kind: 'figure', metric: 'delivery', figure: 'p50' }],
  ['roundTripStep7.p95', steps, { kind: 'figure', metric: 'roundTripStep7', figure: 'p95' }],
  ['delivered share', latency, { kind: 'share', part: 'delivered', whole: 'expected' }],
  ['lost', latency, { kind: 'count', entry: 'lost' }],
  ['bytesPerConnection', latency, { kind: 'footprint' }],
  ['targetRss.max', latency, undefined],
  ['cpu', latency, undefined],
])('the column of a published metric %s', (metric, scenario, column) => {
  const found = columnOf(metric, scenario);
  if (column) expect(found).toMatchObject(column);
  else expect(found).toBeUndefined();
});

it('distinguishes too few samples from a figure that does not exist', () => {
  const few = goldenResult({
    metrics: { ...golden.metrics, delivery: { ...golden.metrics.delivery!, count: 50, p99: null, p999: null } },
  });
  expect(
    ['delivery.p99', 'delivery.p50', 'joules', 'joules.p50'].map((metric) => whyUncarried(metric, latency, [few])),
  ).toEqual([expect.stringContaining('p95'), undefined, undefined, undefined]);
  const [row] = reproducedFigures(
    { ...small, figures: [{ ...small.figures[0]!, target: 'ws', metric: 'delivery.p99' }] },
    latency,
    board([ran('ws', [few])]),
  );
  expect(row?.row).toMatchObject({ measured: null, why: expect.stringContaining(tooFew) });
});

it('keeps the least of a figure that the rig may have raised', () => {
  const bound = { rule: 'steal', metric: 'delivery', figure: null, leastUs: 371.5, text: 'stolen' };
  const marked = timed(743, 743, { verdict: { ...golden.verdict, bounds: [bound] } });
  const figures = [{ ...small.figures[0]!, target: 'ws', metric: 'delivery.p50', unit: 'ms' as const }];
  const measured = (runs: RunResult[]) =>
    reproducedFigures({ ...small, figures }, latency, board([ran('ws', runs)]))[0]?.row.measured;
  expect(measured([marked])?.atLeast).toBeCloseTo(0.3715, 9);
  expect(measured([timed(743)])).not.toHaveProperty('atLeast');
});

describe('published beside measured', () => {
  const rows = reproducedFigures(
    small,
    latency,
    board([
      ran('ws', [timed(1000), timed(1100), timed(1200)]),
      ran('uws', [timed(400), timed(410), timed(420)]),
      ran('socketio', [timed(9000, 9000, { verdict: { rig: 'void', evidence: [] } })]),
    ]),
  );
  const of = (id: string) => rows.find(({ row }) => row.figure === id)?.row;

  it('is in the published unit', () => {
    expect(of('small-ws-p50')).toMatchObject({ measured: { median: 1.1, least: 1, most: 1.2, runs: 3 }, why: '' });
    const [low, high] = of('small-ws-p50')?.measured?.interval ?? [0, 0];
    expect(low).toBeLessThan(1.1);
    expect(high).toBeGreaterThan(1.1);
    expect(of('small-ws-p50')?.ratio).toBeCloseTo(1.1 / 3, 9);
    expect(of('small-ws-delivered')).toMatchObject({ measured: { median: 100 } });
  });

  it('has no ratio to zero', () => {
    expect(of('small-ws-lost')).toMatchObject({ measured: { median: 0, interval: null }, ratio: null });
  });

  it('says why there is no value', () => {
    expect(of('small-socketio-p50')).toMatchObject({ measured: null, why: 'every run is void' });
    expect(of('small-ws-joules')).toMatchObject({ measured: null, why: 'no such figure here' });
    expect(of('small-go-p50')).toMatchObject({ measured: null, why: 'no target here' });
    const gone = { ...ran('ws', []), state: 'notAvailable' as const };
    expect(reproducedFigures(small, latency, board([gone]))[0]?.row.why).toBe('not available');
    expect(reproducedFigures(small, latency, board([ran('ws', [])]))[0]?.row.why).toBe('not run');
  });

  it('ends the interval of a share at the whole', () => {
    const shares = [203_212, 203_212, 150_000].map((delivered) =>
      timed(743, 743, { ledger: { ...golden.ledger, delivered } }),
    );
    const [found] = reproducedFigures(
      { ...small, figures: small.figures.filter(({ id }) => id === 'small-ws-delivered') },
      latency,
      board([ran('ws', shares)]),
    );
    const [low, high] = found?.row.measured?.interval ?? [0, 0];
    expect([low > 0 && low < 100, high]).toEqual([true, 100]);
  });
});
