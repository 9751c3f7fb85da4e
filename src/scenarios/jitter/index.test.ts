import { expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { loadOptions } from '../load-options.js';
import { jitter } from './index.js';
import { MIN_OFFLINE_MS } from './options.js';

const options = jitter.options.parse({ subscribers: 997, rampRatePerSecond: 250, ratePerSecond: 4, drainMs: 503 });

it('demands its subscribers and the time of all stages', () => {
  expect(jitter.demand(options, loadOptions.parse({}))).toEqual({
    clients: 997,
    publishesPerSecond: 4,
    payloadBytes: 200,
    broadcasts: 124,
    measuredBroadcasts: 120,
    durationMs: 3988 + 31_000 + 2000 + 2 * 503,
  });
});

it('refuses drops that follow each other faster than a client can come back', () => {
  const of = (everyMs: number, offlineMs: number) =>
    jitter.contradictions?.(jitter.options.parse({ everyMs, offlineMs }));
  expect(of(2999, 0)).toEqual([naming('--every:', '3s', '--offline', '2s', '1s', '2999ms')]);
  expect([of(3000, 0), of(8000, 7000)]).toEqual([[], []]);
  expect(of(15_000, 30_000)).toHaveLength(1);
});

it('floors the offline window, the same for every target', () => {
  const of = (offlineMs: number): number => jitter.options.parse({ offlineMs }).offlineMs;
  expect([of(0), of(1999), of(2000), of(2001)]).toEqual([2000, 2000, 2000, 2001]);
  expect([options.offlineMs, MIN_OFFLINE_MS]).toEqual([2000, 2000]);
});

it('records every distribution that it declares, and the figure of those that are ready', async () => {
  const { context } = workerOnStage(options, { broadcasts: 124 });
  const audience = await jitter.audience(context);
  expect(audience.progress()).toHaveProperty('subscribers');
  const publisher = await jitter.publisher({
    ...context,
    until: () => Promise.resolve(),
    publish: () => Promise.resolve(201),
    payload: () => '{}',
  });
  const report = audience.report();
  const recorded = { ...report.samples, ...publisher.report().samples };
  for (const name of Object.keys(jitter.metrics)) expect(recorded).toHaveProperty(name);
  expect(report.counts).toHaveProperty('subscribers');
  // Samples and series are fetched from a shard by one set of names.
  expect(Object.keys(report.series).filter((name) => name in recorded)).toEqual([]);
});

it('has every column of its scoreboard in its ledger or among its metrics', () => {
  const { entries } = jitter.ledger({ counts: {}, causes: {}, timeline: {}, series: {} });
  for (const column of jitter.headline) {
    if (column.kind === 'count') expect(entries).toHaveProperty(column.entry);
    if (column.kind === 'figure') expect(jitter.metrics).toHaveProperty(column.metric);
    if (column.kind === 'share') expect(entries).toMatchObject({ [column.part]: 0, [column.whole]: 0 });
  }
});
