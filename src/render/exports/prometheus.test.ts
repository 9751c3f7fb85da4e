import { expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenRun, goldenThresholds, limited } from '../../../test/kept-golden.js';
import type { RunResult } from '../../results/result.js';
import { type MetricSample, parseExposition } from '../../targets/observe/prometheus.js';
import { prometheus } from '../exports.js';

async function textOf(result: RunResult): Promise<string> {
  let text = '';
  for await (const piece of prometheus(result)) text += piece;
  return text;
}

const whole = goldenRun('ws', 1, {
  verdict: limited,
  thresholds: goldenThresholds,
  ledger: { ...goldenRun('ws', 1).ledger, lostByCause: { 'close-code:1006': 7, 'he said "no"\\\n': 1 } },
});

it('a run for Prometheus is a page of gauges', async () => {
  const { delivery } = whole.metrics;
  const small = { ...whole, metrics: { delivery: delivery! }, ledger: { acked: 1006, lost: 0 } };
  await expectGolden('prometheus.txt', { 'a run': await textOf(small) });
});

it('a run for Prometheus read back by the reader of Prometheus pages has every figure of the result', async () => {
  const text = await textOf(whole);
  const samples = parseExposition(text);
  const readOf = (name: string, labels: Record<string, string>): number | undefined =>
    find(samples, `ringside_${name}`, labels)?.value;
  for (const [metric, summary] of Object.entries(whole.metrics)) {
    const quantiles = { '0': 'min', '0.5': 'p50', '0.99': 'p99', '0.999': 'p999', '1': 'max' } as const;
    for (const [quantile, figure] of Object.entries(quantiles)) {
      const value = readOf('metric_seconds', { metric, quantile });
      expect(value === undefined ? null : Math.round(value * 1e9)).toBe(
        summary[figure] === null ? null : Math.round(summary[figure] * 1e3),
      );
    }
    expect(readOf('metric_samples', { metric })).toBe(summary.count);
  }
  for (const [entry, value] of Object.entries(whole.ledger))
    if (typeof value === 'number') expect(readOf('ledger', { entry })).toBe(value);
  expect(readOf('ledger_by_cause', { entry: 'lostByCause', cause: 'he said "no"\\\n' })).toBe(1);
  expect(['clean', 'limited', 'void'].map((rig) => readOf('verdict', { verdict: rig }))).toEqual([0, 1, 0]);
  expect(goldenThresholds.map(({ text: promise }) => readOf('promise_kept', { promise }))).toEqual([1, 0, 0]);
});

it('a run for Prometheus parts the ledger by unit, times in seconds', async () => {
  const ledger = {
    ...{ cut: 211, offeredPerSecond: 9.7, lastCutMs: 1009, backAfterMs99: 2003 },
    ...{ backlogPeakAtSecond: 7, backlogDrainedInSeconds: 3 },
  };
  const samples = parseExposition(await textOf({ ...whole, ledger }));
  const family = (name: string) =>
    Object.fromEntries(
      samples.filter((sample) => sample.name === `ringside_${name}`).map(({ labels, value }) => [labels.entry, value]),
    );
  expect(family('ledger')).toEqual({ cut: 211 });
  expect(family('ledger_per_second')).toEqual({ offeredPerSecond: 9.7 });
  expect(family('ledger_seconds')).toEqual({
    ...{ lastCutMs: 1.009, backAfterMs99: 2.003 },
    ...{ backlogPeakAtSecond: 7, backlogDrainedInSeconds: 3 },
  });
});

function find(
  samples: readonly MetricSample[],
  name: string,
  labels: Record<string, string>,
): MetricSample | undefined {
  return samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
}
