import { expect, it } from 'vitest';
import { workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { loadOptions } from '../load-options.js';
import { idle } from './index.js';

const options = idle.options.parse({
  connections: 1009,
  rampRatePerSecond: 250,
  settleMs: 101,
  holdMs: 3001,
  stallMs: 1009,
  probeTimeoutMs: 503,
});

it('demands its connections, and the time of ramp, stall, settle, hold and probe', () => {
  expect(idle.demand(options, loadOptions.parse({}))).toMatchObject({
    clients: 1009,
    broadcasts: 3,
    durationMs: 4036 + 1009 + 101 + 3001 + 503,
  });
});

it.each([
  [10_000, 20_000, 31_000],
  [1_000_000, 90_000, 130_000],
])(
  'demands for %d connections a ramp of at most 90 s and a probe that has time for all',
  (connections, ramp, probe) => {
    const { durationMs } = idle.demand(
      idle.options.parse({ connections, settleMs: 0, holdMs: 0, stallMs: 1000 }),
      loadOptions.parse({}),
    );
    expect(durationMs).toBeCloseTo(ramp + 1000 + probe, 3);
  },
);

it('records every distribution that it declares, and the figure of those that are ready', async () => {
  const { context } = workerOnStage(options);
  const audience = await idle.audience(context);
  expect(audience.progress()).toHaveProperty('subscribers');
  const { samples, counts } = audience.report();
  expect(Object.keys(samples).sort()).toEqual(Object.keys(idle.metrics).sort());
  expect(counts).toHaveProperty('subscribers');
});

it('asks for no share of its clients: their number is the subject', () => {
  expect(idle.isCapacity).toBe(true);
  // What it times happens in the ramp: the rig is measured there.
  expect(idle.stages.filter(({ isMeasured }) => isMeasured).map(({ name }) => name)).toEqual(['ramp']);
});

it('has every column of its scoreboard in its ledger or among its metrics', () => {
  const { entries } = idle.ledger({ counts: {}, causes: {}, timeline: {}, series: {} });
  for (const column of idle.headline) {
    if (column.kind === 'count') expect(entries).toHaveProperty(column.entry);
    if (column.kind === 'figure') expect(idle.metrics).toHaveProperty(column.metric);
  }
});
