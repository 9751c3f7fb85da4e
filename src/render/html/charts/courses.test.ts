import { expect, it } from 'vitest';
import { goldenResult } from '../../../../test/golden-result.js';
import { naming } from '../../../../test/refusal.js';
import type { RunResult } from '../../../results/result.js';
import { endedShards, observed, percentileOver, wholeGauge } from './courses.js';

type Environment = RunResult['environment'];
const environment = (more: Partial<Environment>): Environment => ({
  ...goldenResult().environment,
  loadAtMs: 1000,
  ...more,
});
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
  expect(wholeGauge(environment({ gauges }), 'open')).toEqual({ x: [0.1, 1.1, 2.1, 3.1], y: [108, 114, 116, 17] });
});

it('a course of all shards says which of them ended before the run did, once each', () => {
  const gauges = [
    open('shard 0', [[1100, 7]]),
    { ...open('shard 1', [[1300, 101]]), endedBecause: 'connection refused' },
    { ...open('shard 1', [[1300, 101]]), name: 'backlog' as const, endedBecause: 'connection refused' },
  ];
  expect(endedShards(environment({ gauges }))).toEqual([naming('shard 1', 'connection refused')]);
  expect(endedShards(environment({}))).toEqual([]);
});

it('a course is the run’s own where it has one', () => {
  const gauges = [
    open('shard 0', [[1100, 7]]),
    open('run', [
      [2000, 5],
      [3000, 3],
    ]),
  ];
  expect(wholeGauge(environment({ gauges }), 'open')).toEqual({ x: [1, 2], y: [5, 3] });
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
  expect(observed(environment({ observations }), ['rssBytes'], 'sum', 2)).toEqual({ x: [1], y: [200] });
  expect(observed(environment({ observations }), ['rssBytes'], 'max')).toEqual({ x: [1], y: [300] });
  expect(observed(environment({ observations }), ['cpuPercent'], 'sum')).toBeUndefined();
});

it('a course has a gap where a percentile is not carried', () => {
  const overTime = {
    delivery: [
      { fromMs: 1000, toMs: 2000, count: 1000, p50: 700, p99: 5003.5 },
      { fromMs: 2000, toMs: 3000, count: 7, p50: null, p99: null },
    ],
  };
  expect(percentileOver(environment({ overTime }), 'delivery', 'p99')).toEqual({ x: [0.5, 1.5], y: [5, null] });
  expect(percentileOver(environment({ overTime }), 'connect', 'p99')).toBeUndefined();
});
