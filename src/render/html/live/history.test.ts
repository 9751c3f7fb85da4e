import { expect, it } from 'vitest';
import type { GaugeValues, RunSecond } from '../../../results/progress.js';
import { emptyChart, liveCharts, valuesOf } from './charts.js';
import { LiveHistory } from './history.js';

const second = (atMs: number, shards: (GaugeValues | null)[], more: Partial<RunSecond> = {}): RunSecond => ({
  atMs,
  gauges: { open: 201, deliveriesPerSecond: 1234.56789, cpuCores: 0.5, loopDelayMs: 3 },
  shards,
  percentiles: { count: 701, p50: 743, p99: 5003, max: 7001 },
  target: { cpuPercent: 37, memoryBytes: 2 ** 26, eventLoopDelayP99Ms: 11 },
  ...more,
});
const two = liveCharts(2, 'delivery');
const take = (history: LiveHistory, loadAtMs: number | null, ...seconds: RunSecond[]) =>
  history.take({ loadAtMs, seconds });

it('live charts have of a second what their lines say, the target beside the rig', () => {
  expect(valuesOf(two, second(1003, [{ open: 100 }, { open: 101, loopDelayMs: 2 }]))).toEqual({
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

it('live charts have gaps for a silent shard, an unseen target and percentiles without enough samples', () => {
  const gone = second(1003, [{ open: 100 }, null], {
    target: {},
    percentiles: { count: 7, p50: null, p99: null, max: null },
  });
  expect(valuesOf(two, gone)).toMatchObject({
    'live-shard-1-open': [null],
    'live-cpu': [null, 0.5],
    'live-memory': [null],
    'live-loop-delay': [null, 3],
    'live-percentiles': [null, null, null],
  });
});

it('live charts are of shards only where there are several, and of percentiles only where a metric is told of', () => {
  const alone = liveCharts(1, undefined);
  expect(alone.shards).toEqual([]);
  expect(alone.whole.map(({ id }) => id)).not.toContain('percentiles');
  const [ofTwo] = two.shards.map((charts) => charts.map(emptyChart));
  expect(ofTwo?.map(({ y }) => y.shared)).toEqual(['deliveriesPerSecond', 'open', 'loopDelayMs']);
});

it('live history has a point for each second, in seconds since the load began, none before that', () => {
  const history = new LiveHistory(two);
  expect(take(history, null, second(1003, []))).toEqual([]);
  expect(take(history, 1100, second(1003, []))).toEqual([]);
  expect(take(history, 211)).toEqual([]);
  expect(take(history, 211, second(1214.2, []), second(2213.9, [])).map(({ x }) => x)).toEqual([0, 1.003, 2.003]);
  expect(history.points.map(({ x }) => x)).toEqual([0, 1.003, 2.003]);
});

it('live history begins with nothing, of what the first second tells', () => {
  const [start] = take(new LiveHistory(two), 211, second(1214, [{ open: 7, loopDelayMs: 2 }, null]));
  expect(start?.y).toMatchObject({
    'live-deliveries': [0],
    'live-open': [0],
    'live-backlog': [null],
    'live-cpu': [null, null],
    'live-percentiles': [null, null, null],
    'live-shard-0-open': [0],
    'live-shard-0-loopDelayMs': [null],
    'live-shard-1-open': [null],
  });
});

it('live history stays small however long the run, and keeps its beginning and the latest', () => {
  const history = new LiveHistory(two);
  for (let n = 1; n <= 9001; n++) take(history, 0, second(n * 1000, []));
  expect(history.points.length).toBeLessThanOrEqual(2000);
  expect(history.points[0]?.x).toBe(0);
  expect(history.points.at(-1)?.x).toBeGreaterThan(8990);
});
