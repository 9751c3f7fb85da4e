import { expect, it } from 'vitest';
import type { ShardView } from '../../results/progress.js';
import { renderLivePage } from './live.js';

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
