import { describe, expect, it } from 'vitest';
import type { GaugeValues, RunSecond, ShardView } from '../../../results/progress.js';
import { liveCharts, liveShardCharts } from './charts.js';
import { renderLivePage } from './page.js';

const second = (atMs: number, shards: (GaugeValues | null)[], more: Partial<RunSecond> = {}): RunSecond => ({
  atMs,
  gauges: { open: 201, deliveriesPerSecond: 1234.56789, cpuCores: 0.5, loopDelayMs: 3 },
  shards,
  percentiles: { count: 701, p50: 743, p95: 3001, p99: 5003, max: 7001 },
  bins: [],
  target: { cpuPercent: 37, memoryBytes: 2 ** 26, eventLoopDelayP99Ms: 11 },
  ...more,
});

/** By chart, the last value of each line. */
function valuesOf(...seconds: RunSecond[]): Record<string, unknown> {
  const run = { view: { loadAtMs: 211, stages: [] }, seconds };
  const charts = [...liveCharts(run, 'delivery'), ...[0, 1].flatMap((shard) => liveShardCharts(run, shard))];
  return Object.fromEntries(charts.map(({ id, table }) => [id, table.rows.map(([, value]) => value)]));
}

describe('the charts of a run that goes', () => {
  it('have of a second what their lines say, the target beside the rig', () => {
    expect(valuesOf(second(1003, [{ open: 100 }, { open: 101, loopDelayMs: 2 }]))).toEqual({
      'live-deliveries': [1234.57],
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
      bins: [],
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
    const run = { view: { loadAtMs: 0, stages: [] }, seconds: [second(1003, [{ open: 7 }, { open: 10 }])] };
    expect(liveCharts(run, undefined).map(({ id }) => id)).not.toContain('live-percentiles');
    expect([0, 1].map((shard) => liveShardCharts(run, shard)[1]?.y.range)).toEqual([
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
    const [chart] = liveCharts({ view: { loadAtMs: 211, stages }, seconds }, undefined);
    expect(chart?.lines[0]?.points).toMatchObject({ x: [1.003, 2.003] });
    expect(chart?.bands).toEqual([
      { name: 'ramp', from: 0, to: 0.5 },
      { name: 'publish', from: 1, to: 2.003 },
    ]);
    expect(liveCharts({ view: { loadAtMs: null, stages }, seconds: [] }, undefined)[0]?.bands).toEqual([]);
  });
});

it('a page says that a shard is lost for as long as it is, and the figures in words', () => {
  const assets = { uplotScript: '', uplotStyle: '', drawScript: '' };
  const pageOf = (lost: string | null): string => {
    const shard: ShardView = {
      ...{ index: 1, url: 'http://127.0.0.1:7', stage: 'publish', silentMs: 0, awaitedMs: 0, atMs: null },
      ...{ lost, gauges: {} },
    };
    const view = {
      ...{ stage: 'publish', elapsedMs: 7, plannedMs: 11, figures: { acked: 7 }, gauges: { rssBytes: 7e6 } },
      ...{ percentiles: null, loadAtMs: null, stages: [], shards: [shard] },
    };
    return renderLivePage({ title: 'a run', metric: undefined, view, seconds: [], over: undefined }, assets);
  };
  expect(pageOf('did not answer for 31 s')).toMatch(/role="alert".*Shard 1 is lost: did not answer for 31 s\./);
  expect(pageOf(null)).not.toContain('role="alert"');
  expect(pageOf(null)).toMatch(/<dt>acked<\/dt><dd>7<\/dd>.*<dt>rss, MB<\/dt><dd>7<\/dd>/);
});
