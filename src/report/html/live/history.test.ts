import { describe, expect, it } from 'vitest';
import type { ProgressView, ShardView } from '../../../contract/progress.js';
import { LiveHistory, liveCharts } from './history.js';

const shard = (index: number, atMs: number | null, more: Partial<ShardView> = {}): ShardView => ({
  index,
  url: `http://127.0.0.1:${41_297 + index}`,
  stage: 'publish',
  lost: null,
  silentMs: 0,
  atMs,
  gauges: { open: 100 + index },
  ...more,
});
const view = (elapsedMs: number, shards: ShardView[]): ProgressView => ({
  stage: 'publish',
  elapsedMs,
  plannedMs: 10_000,
  figures: {},
  gauges: { open: 201 },
  shards,
});

describe('the history of a run that goes', () => {
  it('has a point for each second of any shard, none before the first', () => {
    const history = new LiveHistory();
    expect(history.take(view(100, [shard(0, null), shard(1, null)]))).toBeUndefined();
    expect(history.take(view(1250, [shard(0, 1003), shard(1, null)]))).toMatchObject({
      x: 1.25,
      y: { 'live-open': [201, 100, 101] },
    });
    expect(history.take(view(1500, [shard(0, 1003), shard(1, null)]))).toBeUndefined();
    expect(history.take(view(1750, [shard(0, 1003), shard(1, 1007)]))?.x).toBe(1.75);
    expect(history.points.map(({ x }) => x)).toEqual([1.25, 1.75]);
  });

  it('ends the line of a shard that is lost, or silent', () => {
    const history = new LiveHistory();
    history.take(view(1250, [shard(0, 1003), shard(1, 1007)]));
    const point = history.take(view(1500, [shard(0, 1003), shard(1, 1007, { lost: 'no answer' })]));
    expect(point?.y['live-open']).toEqual([201, 100, null]);
    const silent = history.take(view(1750, [shard(0, 2003), shard(1, 1007, { silentMs: 3001 })]));
    expect(silent?.y['live-open']).toEqual([201, 100, null]);
  });

  it('keeps a line for each shard only where there are several, as the charts have', () => {
    const point = new LiveHistory().take(view(1250, [shard(0, 1003)]));
    expect(point?.y['live-open']).toEqual([201]);
    expect(liveCharts(1)[0]?.lines).toHaveLength(1);
    expect(liveCharts(2)[0]?.lines).toHaveLength(3);
  });

  it('stays small however long the run, and keeps its beginning and the latest', () => {
    const history = new LiveHistory();
    for (let second = 1; second <= 9001; second++) history.take(view(second * 1000, [shard(0, second)]));
    expect(history.points.length).toBeLessThanOrEqual(2000);
    expect(history.points[0]?.x).toBe(1);
    expect(history.points.at(-1)?.x).toBeGreaterThan(8990);
  });
});
