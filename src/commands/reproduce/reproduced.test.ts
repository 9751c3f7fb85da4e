import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { smallSource } from '../../../test/published.js';
import type { Comparison } from '../../results/comparison.js';
import { type PublishedTable, tablesOf } from '../../results/published.js';
import type { RunResult } from '../../results/result.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { columnOf, figureOfRun, rowsOf, tooFew, whyUncarried } from './reproduced.js';

const latency = scenarioByName('latency') as Scenario;
const small = tablesOf(smallSource)[0] as PublishedTable;
const golden = goldenResult();

const timed = (p50: number, more: Partial<RunResult> = {}): RunResult =>
  goldenResult({ metrics: { ...golden.metrics, delivery: { ...golden.metrics.delivery!, p50 } }, ...more });

const ran = (target: string, results: RunResult[]): Comparison['rows'][number] => ({
  target,
  state: 'ran',
  why: '',
  runs: results.map((result) => ({ directory: 'd', result })),
  figures: [],
});
const board = (rows: Comparison['rows']): Comparison => ({ rows }) as Comparison;

describe('a figure of a run', () => {
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
  ])('%s is %s', (metric, value) => {
    expect(figureOfRun(metric, latency, golden)?.value).toBe(value);
  });

  it('has its interval within the run', () => {
    const delivery = { ...golden.metrics.delivery!, intervals: { p50: [701, 797] as [number, number] } };
    const run = goldenResult({ metrics: { ...golden.metrics, delivery } });
    expect(figureOfRun('delivery.p50', latency, run)).toEqual({ value: 743, within: [701, 797] });
  });
});

describe('the column of a published metric', () => {
  const steps = scenarioByName('steps') as Scenario;

  it.each([
    ['delivery.p50', latency, { kind: 'figure', metric: 'delivery', figure: 'p50' }],
    ['roundTripStep7.p95', steps, { kind: 'figure', metric: 'roundTripStep7', figure: 'p95' }],
    ['delivered share', latency, { kind: 'share', part: 'delivered', whole: 'expected' }],
    ['lost', latency, { kind: 'count', entry: 'lost' }],
    ['bytesPerConnection', latency, { kind: 'footprint' }],
    ['targetRss.max', latency, undefined],
    ['cpu', latency, undefined],
  ])('%s', (metric, scenario, column) => {
    const found = columnOf(metric, scenario);
    if (column) expect(found).toMatchObject(column);
    else expect(found).toBeUndefined();
  });
});

it('distinguishes too few samples from a figure that does not exist', () => {
  const few = goldenResult({
    metrics: { ...golden.metrics, delivery: { ...golden.metrics.delivery!, count: 50, p99: null, p999: null } },
  });
  expect(['delivery.p99', 'delivery.p50', 'joules', 'joules.p50'].map((metric) => whyUncarried(metric, [few]))).toEqual(
    [expect.stringContaining('p95'), undefined, undefined, undefined],
  );
  const [row] = rowsOf(
    { ...small, figures: [{ ...small.figures[0]!, target: 'ws', metric: 'delivery.p99' }] },
    latency,
    board([ran('ws', [few])]),
  );
  expect(row?.row).toMatchObject({ measured: null, why: expect.stringContaining(tooFew) });
});

it('keeps the least of a figure that the rig may have raised', () => {
  const doubt = { rule: 'steal', metric: 'delivery', figure: null, leastUs: 371.5, text: 'stolen' };
  const marked = timed(743, { verdict: { ...golden.verdict, doubts: [doubt] } });
  const figures = [{ ...small.figures[0]!, target: 'ws', metric: 'delivery.p50', unit: 'ms' as const }];
  const measured = (runs: RunResult[]) =>
    rowsOf({ ...small, figures }, latency, board([ran('ws', runs)]))[0]?.row.measured;
  expect(measured([marked])?.atLeast).toBeCloseTo(0.3715, 9);
  expect(measured([timed(743)])).not.toHaveProperty('atLeast');
});

describe('published beside measured', () => {
  const rows = rowsOf(
    small,
    latency,
    board([
      ran('ws', [timed(1000), timed(1100), timed(1200)]),
      ran('uws', [timed(400), timed(410), timed(420)]),
      ran('socketio', [timed(9000, { verdict: { rig: 'void', evidence: [] } })]),
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
    expect(rowsOf(small, latency, board([gone]))[0]?.row.why).toBe('not available');
    expect(rowsOf(small, latency, board([ran('ws', [])]))[0]?.row.why).toBe('not run');
  });

  it('ends the interval of a share at the whole', () => {
    const shares = [203_212, 203_212, 150_000].map((delivered) =>
      timed(743, { ledger: { ...golden.ledger, delivered } }),
    );
    const [found] = rowsOf(
      { ...small, figures: small.figures.filter(({ id }) => id === 'small-ws-delivered') },
      latency,
      board([ran('ws', shares)]),
    );
    const [low, high] = found?.row.measured?.interval ?? [0, 0];
    expect([low > 0 && low < 100, high]).toEqual([true, 100]);
  });
});
