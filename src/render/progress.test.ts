import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProgressView, ShardView } from '../results/progress.js';
import { progressLine, progressLines } from './progress.js';

const shard = (index: number, more: Partial<ShardView> = {}): ShardView => ({
  index,
  url: `http://127.0.0.1:${41_297 + index}`,
  stage: 'publish',
  lost: null,
  silentMs: 0,
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

describe('the block of a run', () => {
  it('of one shard has two lines', () => {
    expect(progressLines('latency ws', view([shard(0)]), screen(80))).toEqual([
      'latency ws  7s of at most 26s  publish  received 7,063  published 35',
      '202 open  2,021 deliveries/s  2.3 ms loop delay',
    ]);
  });

  it('of several has a line for each, under those of all', () => {
    expect(progressLines('latency ws', view([shard(0), shard(1)]), screen(80))).toEqual([
      'latency ws  7s of at most 26s  publish  received 7,063  published 35',
      '         stage    open  deliveries/s  loop ms  publishes/s  owed  cores',
      'all      publish   202         2,021      2.3                          ',
      'shard 0  publish   101         1,010      2.3          5.0     7   0.30',
      'shard 1  publish   101         1,010      2.3          5.0     7   0.30',
    ]);
  });

  it('has the p99 of the last second, and no figures once all is over', () => {
    const percentiles = { count: 1013, p50: 743, p99: 5003 };
    expect(progressLines('latency ws', view([shard(0)], { percentiles }), screen(80))[1]).toBe(
      '202 open  2,021 deliveries/s  2.3 ms loop delay  5.0 ms p99',
    );
    const [, header, all] = progressLines('latency ws', view([shard(0), shard(1)], { percentiles }), screen(80));
    expect([header?.indexOf('p99 ms'), all?.indexOf('5.0')]).toEqual([47, 50]);
    const done = view([shard(0, { stage: 'done', gauges: {} })], { stage: 'done', gauges: {} });
    expect(progressLines('latency ws', done, screen(80))).toHaveLength(1);
    expect(progressLine('latency ws', done)).not.toMatch(/\/s/);
  });

  it('leaves whole columns out where there is no room', () => {
    expect(progressLines('latency ws', view([shard(0), shard(1)]), screen(40)).slice(1)).toEqual([
      '         stage    open  deliveries/s',
      'all      publish   202         2,021',
      'shard 0  publish   101         1,010',
      'shard 1  publish   101         1,010',
    ]);
  });

  it('says why a shard was lost, and nothing of its figures', () => {
    const lost = shard(1, { lost: 'no answer for 5091 ms:\n\x1b[2Jconnect' });
    const lines = progressLines('latency ws', view([shard(0), lost]), screen(80));
    expect(lines[4]).toBe('shard 1  LOST in publish: no answer for 5091 ms: connect');
    const [, , alone] = progressLines('latency ws', view([{ ...lost, index: 0 }]), screen(80));
    expect(alone).toMatch(/^shard 0 {2}LOST in publish: no answer/);
  });

  it('shows no old figures of a shard that is silent', () => {
    const lines = progressLines('latency ws', view([shard(0), shard(1, { silentMs: 3007 })]), screen(80));
    expect(lines[4]?.trimEnd()).toBe('shard 1  silent 3s');
  });

  it('shows lost shards first where not all have room, and how many are left out', () => {
    const shards = Array.from({ length: 41 }, (_, index) => shard(index, index === 37 ? { lost: 'gone' } : {}));
    const lines = progressLines('latency ws', view(shards), screen(80, 11));
    expect(lines).toHaveLength(10);
    expect(lines[3]).toBe('shard 37  LOST in publish: gone');
    expect(lines[9]).toBe('and 35 more shards');
  });

  it('is never as wide or as high as the screen, in colour or not', () => {
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
      fc.property(shards, screens, fc.string(), (list, each, label) => {
        const all = list.map(({ isLost, silentMs, rate }, index) =>
          shard(index, { silentMs, lost: isLost ? 'gone' : null, gauges: { deliveriesPerSecond: rate } }),
        );
        const lines = progressLines(label.replaceAll(/[^\x20-\x7e]/g, ''), view(all), each).map(
          stripVTControlCharacters,
        );
        expect(lines.length).toBeLessThan(each.rows);
        for (const line of lines) expect(line.length).toBeLessThan(each.columns);
      }),
    );
  });

  it('is coloured only where that is wanted', () => {
    const lines = (isColored: boolean) => progressLines('x', view([shard(0), shard(1)]), { ...screen(80), isColored });
    expect(lines(true).join('')).toContain('\x1b[');
    expect(lines(false).join('')).not.toContain('\x1b');
  });
});

it('a line of a log has the same figures', () => {
  const lost = shard(1, { lost: 'no answer' });
  expect(progressLine('latency ws', view([shard(0), lost]))).toBe(
    'latency ws  7s of at most 26s  publish  published 35  acked 35  started 202  subscribers 202  failed 0  lost 0  received 7063  2,021 deliveries/s  2.3 ms loop delay  shard 1  LOST in publish: no answer',
  );
});
