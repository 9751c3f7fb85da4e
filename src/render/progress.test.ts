import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectGolden } from '../../test/golden.js';
import type { ProgressView, ShardView } from '../results/progress.js';
import { progressLine, progressLines } from './progress.js';

const shard = (index: number, more: Partial<ShardView> = {}): ShardView => ({
  index,
  url: `http://127.0.0.1:${41_297 + index}`,
  stage: 'publish',
  lost: null,
  silentMs: 0,
  awaitedMs: 0,
  atMs: 7011,
  gauges: {
    open: 101,
    deliveriesPerSecond: 1010.4,
    loopDelayMs: 2.31,
    publishesPerSecond: 5,
    backlog: 7,
    cpuCores: 0.304,
  },
  ...more,
});

const view = (shards: ShardView[], more: Partial<ProgressView> = {}): ProgressView => ({
  stage: 'publish',
  elapsedMs: 7211,
  plannedMs: 26_000,
  figures: { published: 35, acked: 35, started: 202, subscribers: 202, failed: 0, lost: 0, received: 7063 },
  gauges: { open: 202, deliveriesPerSecond: 2020.8, loopDelayMs: 2.31 },
  shards,
  percentiles: null,
  loadAtMs: 100,
  stages: [],
  seconds: [],
  ...more,
});

const screen = (columns: number, rows = 24) => ({ columns, rows, isColored: false });

it('the block of a run says what a run does, in its golden file', async () => {
  const block = (shards: ShardView[], columns = 80, more: Partial<ProgressView> = {}, isByShard = false): string =>
    progressLines('latency ws', view(shards, more), screen(columns), isByShard).join('\n');
  const lost = shard(1, { lost: 'no answer for 5091 ms:\n\x1b[2Jconnect' });
  const percentiles = { count: 1013, p50: 743, p95: 2003, p99: null, max: 5003 };
  const many = Array.from({ length: 41 }, (_, index) => shard(index, index === 37 ? { lost: 'gone' } : {}));
  await expectGolden('progress.txt', {
    'one shard': block([shard(0)]),
    'one shard, with percentiles': block([shard(0)], 80, { percentiles }),
    'one shard, narrow': block([shard(0)], 50, { percentiles }),
    'longer than planned': block([shard(0)], 80, { percentiles, elapsedMs: 31_007 }),
    'two shards': block([shard(0), shard(1)]),
    'two shards, on request': block([shard(0), shard(1)], 80, {}, true),
    'two shards in a narrow terminal, on request': block([shard(0), shard(1)], 40, {}, true),
    'a lost shard': block([shard(0), lost]),
    'a lost shard, on request': block([shard(0), lost], 80, {}, true),
    'a lost shard that may return': block([shard(0), { ...lost, awaitedMs: 24_007 }]),
    'a silent shard': block([shard(0), shard(1, { silentMs: 3007 })]),
    'more shards than lines': progressLines('latency ws', view(many), screen(80, 11), true).join('\n'),
    'a log': progressLine('latency ws', view([shard(0), lost])),
  });
});

it('a run without percentiles so far has none in its line, and no figures once all is over', () => {
  const done = view([shard(0, { stage: 'done', gauges: {} })], { stage: 'done', gauges: {} });
  const lines = progressLines('latency ws', done, screen(80));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/p50|open/);
  expect(progressLine('latency ws', done)).not.toMatch(/\/s/);
});

it('leaves out figures by which shards and driver talk', () => {
  const figures = { there: 7, 'together:all:10000p': 5 };
  const lines = [progressLine('flow', view([shard(0)], { figures }))];
  expect(lines.filter((line) => line.includes('there 7'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('together'))).toEqual([]);
});

it('the block of a run shows lost shards first where not all have room, and how many are left out', () => {
  const shards = Array.from({ length: 41 }, (_, index) => shard(index, index === 37 ? { lost: 'gone' } : {}));
  const lines = progressLines('latency ws', view(shards), screen(80, 11), true);
  expect(lines).toHaveLength(10);
  expect(lines[3]).toContain('shard 37');
  expect(lines[9]).toContain('35');
});

it('the block of a run is never as wide or as high as the screen, in colour or not', () => {
  const shards = fc.array(fc.record({ isLost: fc.boolean(), silentMs: fc.nat(5000), rate: fc.nat(1e9) }), {
    minLength: 1,
    maxLength: 13,
  });
  const screens = fc.record({
    columns: fc.integer({ min: 8, max: 200 }),
    rows: fc.integer({ min: 8, max: 40 }),
    isColored: fc.boolean(),
  });
  fc.assert(
    fc.property(shards, screens, fc.string(), fc.boolean(), (list, each, label, isByShard) => {
      const all = list.map(({ isLost, silentMs, rate }, index) =>
        shard(index, { silentMs, lost: isLost ? 'gone' : null, gauges: { deliveriesPerSecond: rate } }),
      );
      const lines = progressLines(label.replaceAll(/[^\x20-\x7e]/g, ''), view(all), each, isByShard).map(
        stripVTControlCharacters,
      );
      expect(lines.length).toBeLessThan(each.rows);
      for (const line of lines) expect(line.length).toBeLessThan(each.columns);
    }),
  );
});
