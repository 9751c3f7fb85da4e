import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../../test/golden-result.js';
import type { ProgressView, RunSecond, ShardView } from '../../../results/progress.js';
import { type GaugeSeries, shardSource } from '../../../results/progress.js';
import type { RunResult } from '../../../results/result.js';
import { shardCharts, timeCharts } from './time.js';
import { keptSource, type LineSubject, liveSource, type Plotted } from './time-source.js';

type Environment = RunResult['environment'];

const source = (more: Partial<Environment>) => {
  const golden = goldenResult();
  const environment = { ...golden.environment, loadAtMs: 1000, ...more };
  return keptSource({ label: 'ws', directory: '', result: { ...golden, environment }, curves: {} });
};
const plotted = (more: Partial<Environment>, subject: LineSubject): Plotted | undefined => source(more).plot(subject);
const open = (source: string, points: [number, number][]) => ({
  source,
  name: 'open' as const,
  unit: 'count' as const,
  points: points.map(([atMs, value]) => ({ atMs, value })),
});

it('a course adds up the shards at the instants of the longest, as long as each is there', () => {
  const gauges = [
    open('shard 0', [
      [1100, 7],
      [2100, 11],
      [3100, 13],
      [4100, 17],
    ]),
    open('shard 1', [
      [1300, 101],
      [2300, 103],
    ]),
  ];
  expect(plotted({ gauges }, { gauge: 'open' })).toEqual({ x: [0.1, 1.1, 2.1, 3.1], y: [108, 114, 116, 17] });
});

it('a course of all shards says which of them ended before the run did, once each', () => {
  const gauges = [
    open('shard 0', [[1100, 7]]),
    { ...open('shard 1', [[1300, 101]]), endedBecause: 'connection refused' },
    { ...open('shard 1', [[1300, 101]]), name: 'backlog' as const, endedBecause: 'connection refused' },
  ];
  const told = timeCharts([source({ gauges })], undefined).map(({ summary }) => /Shard 1 .*refused/.test(summary));
  expect(told).toContain(true);
  expect(timeCharts([source({})], undefined).filter(({ summary }) => summary.includes('ended'))).toEqual([]);
});

it('a course is the run’s own where it has one', () => {
  const gauges = [
    open('shard 0', [[1100, 7]]),
    open('run', [
      [2000, 5],
      [3000, 3],
    ]),
  ];
  expect(plotted({ gauges }, { gauge: 'open' })).toEqual({ x: [1, 2], y: [5, 3] });
});

it('a course takes the first source that saw it, all processes together', () => {
  const rss = (source: 'proc' | 'stats', process: string, value: number) => ({
    source,
    name: 'rssBytes' as const,
    unit: 'bytes' as const,
    process,
    points: [{ atMs: 2000, value }],
  });
  const observations = [rss('stats', '7', 999), rss('proc', '7', 100), rss('proc', '11', 300)];
  const subject = { target: 'memoryBytes', observations: ['rssBytes'], per: 2 } as const;
  expect(plotted({ observations }, subject)).toEqual({ x: [1], y: [200] });
  const delays = observations.map((each) => ({ ...each, name: 'eventLoopDelayP99Ms' as const }));
  const ofDelay = { target: 'eventLoopDelayP99Ms', observations: ['eventLoopDelayP99Ms'], per: 1 } as const;
  expect(plotted({ observations: delays }, ofDelay)).toEqual({ x: [1], y: [300] });
  expect(plotted({ observations: [] }, subject)).toBeUndefined();
});

it('a course has a gap where a percentile is not carried', () => {
  const overTime = {
    delivery: [
      { fromMs: 1000, toMs: 2000, count: 1000, p50: 700, p99: 5003.5 },
      { fromMs: 2000, toMs: 3000, count: 7, p50: null, p99: null },
    ],
  };
  expect(plotted({ overTime }, { metric: 'delivery', percentile: 'p99' })).toEqual({ x: [0.5, 1.5], y: [5, null] });
  expect(plotted({ overTime }, { metric: 'connect', percentile: 'p99' })).toBeUndefined();
});

it('shards share their axes, however many there are and however long each is', () => {
  const golden = goldenResult();
  const many = 67;
  const seconds = 2003;
  const gauges = Array.from({ length: many }, (_, index): GaugeSeries => {
    const points = Array.from({ length: seconds }, (_, second) => ({ atMs: second * 1000, value: index }));
    return { source: shardSource(index), name: 'open', unit: 'count', points };
  });
  const result = {
    ...golden,
    environment: { ...golden.environment, gauges },
    shards: Array.from({ length: many }, () => golden.shards[0]!),
  };
  const charts = shardCharts(keptSource({ label: 'ws', directory: '', result, curves: {} })).flat();
  expect(charts).toHaveLength(many);
  expect(new Set(charts.map(({ y }) => y.range?.[1]))).toEqual(new Set([(many - 1) * 1.1]));
});

const second = (atMs: number, shards: RunSecond['shards'], more: Partial<RunSecond> = {}): RunSecond => ({
  atMs,
  gauges: { open: 201, deliveriesPerSecond: 1234.56789, cpuCores: 0.5, loopDelayMs: 3 },
  shards,
  percentiles: { count: 701, p50: 743, p95: 3001, p99: 5003, max: 7001 },
  bins: [],
  isPart: false,
  target: { cpuPercent: 37, memoryBytes: 2 ** 26, eventLoopDelayP99Ms: 11 },
  ...more,
});

const shard = (index: number): ShardView => ({
  ...{ index, url: `http://127.0.0.1:${index}`, stage: 'publish', silentMs: 0, awaitedMs: 0, atMs: null },
  ...{ lost: null, gauges: {} },
});
const live = (seconds: RunSecond[], loadAtMs: number | null = 211, stages: ProgressView['stages'] = []) =>
  liveSource({ view: { loadAtMs, stages, shards: [shard(0), shard(1)] }, seconds });

/** By chart, the last value of each line. */
function valuesOf(...seconds: RunSecond[]): Record<string, unknown> {
  const charts = [...timeCharts([live(seconds)], 'delivery'), ...shardCharts(live(seconds)).flat()];
  return Object.fromEntries(
    charts.map(({ id, lines }) => [id, lines.map(({ points }) => ('curve' in points ? null : points.y.at(-1)))]),
  );
}

describe('the charts of a run that goes', () => {
  it('have of a second what their lines say, the target beside the rig', () => {
    expect(valuesOf(second(1003, [{ open: 100 }, { open: 101, loopDelayMs: 2 }]))).toEqual({
      'live-deliveries': [1234.56789],
      'live-percentiles': [0.743, 5.003, 7.001],
      'live-open': [201],
      'live-backlog': [null],
      'live-cpu': [0.37, 0.5],
      'live-memory': [64],
      'live-loop-delay': [11, 3],
      'live-shard-0-deliveriesPerSecond': [null],
      'live-shard-0-open': [100],
      'live-shard-0-loopDelayMs': [null],
      'live-shard-1-deliveriesPerSecond': [null],
      'live-shard-1-open': [101],
      'live-shard-1-loopDelayMs': [2],
    });
  });

  it('have gaps for a silent shard, an unseen target and percentiles without enough samples', () => {
    const gone = second(1003, [{ open: 100 }, null], {
      target: {},
      percentiles: { count: 7, p50: null, p95: null, p99: null, max: null },
    });
    expect(valuesOf(gone)).toMatchObject({
      'live-shard-1-open': [null],
      'live-cpu': [null, 0.5],
      'live-memory': [null],
      'live-loop-delay': [null, 3],
      'live-percentiles': [null, null, null],
    });
  });

  it('are of percentiles only where a metric is timed, and share the axis of shards', () => {
    const run = live([second(1003, [{ open: 7 }, { open: 10 }])]);
    expect(timeCharts([run], undefined).map(({ id }) => id)).not.toContain('live-percentiles');
    expect(shardCharts(run).map((own) => own[1]?.y.range)).toEqual([
      [0, 11],
      [0, 11],
    ]);
  });

  it('have the stages in seconds since the load began; the one that goes on ends with the axis', () => {
    const stages = [
      { name: 'ramp', fromMs: 211, toMs: 711 },
      { name: 'publish', fromMs: 1211, toMs: null },
    ];
    const seconds = [second(1214.2, []), second(2213.9, [])];
    const [chart] = timeCharts([live(seconds, 211, stages)], undefined);
    expect(chart?.lines[0]?.points).toMatchObject({ x: [1.003, 2.003] });
    expect(chart?.bands).toEqual([
      { name: 'ramp', from: 0, to: 0.5 },
      { name: 'publish', from: 1, to: 2.003 },
    ]);
    expect(live([], null, stages).bands).toEqual([]);
  });
});

it('a series of the user is a chart of its own, bytes in MiB', () => {
  const query = { source: 'prometheus', name: 'query' } as const;
  const points = [2000, 3000].map((atMs) => ({ atMs, value: atMs * 2 ** 20 }));
  const observations: Environment['observations'] = [
    { ...query, process: 'heap', unit: 'bytes', points },
    { ...query, process: 'lag', unit: 'count', points: [] },
  ];
  const [chart, ...others] = timeCharts([source({ observations })], undefined).filter(({ id }) => /series/.test(id));
  expect(others).toEqual([]);
  expect(chart).toMatchObject({ id: 'time-series-heap', title: 'heap', y: { label: 'MiB' } });
  expect(chart?.lines[0]).toMatchObject({ points: { x: [1, 2], y: [2000, 3000] } });
});
