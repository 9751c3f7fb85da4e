import { expect, it } from 'vitest';
import { goldenResult } from '../../../../test/golden-result.js';
import { type GaugeSeries, shardSource } from '../../../results/over-time/series.js';
import { shardCharts } from './over-time.js';

it('shares its axes over any number of shards of any length', () => {
  const { environment, shards, ...golden } = goldenResult();
  const [shard] = shards;
  if (!shard) throw new Error('the golden run has shards');
  const many = 67;
  const seconds = 2003;
  const gauges = Array.from({ length: many }, (_, index): GaugeSeries => {
    const points = Array.from({ length: seconds }, (_, second) => ({ atMs: second * 1000, value: index }));
    return { source: shardSource(index), name: 'open', unit: 'count', points };
  });
  const result = {
    ...golden,
    environment: { ...environment, gauges },
    shards: Array.from({ length: many }, () => shard),
  };
  const charts = shardCharts({ label: 'ws', directory: '', result, curves: {} }, 0).flat();
  expect(charts).toHaveLength(many);
  expect(new Set(charts.map(({ y }) => y.range?.[1]))).toEqual(new Set([(many - 1) * 1.1]));
});
