import { describe, expect, it } from 'vitest';
import { goldenRun, limited, promises } from '../../../test/kept-golden.js';
import type { RunResult } from '../../results/result.js';
import { type MetricSample, parseExposition } from '../../targets/observe/prometheus.js';
import { openMetrics, prometheus } from './openmetrics.js';

async function textOf(result: RunResult): Promise<string> {
  let text = '';
  for await (const piece of openMetrics(result)) text += piece;
  return text;
}

const whole = goldenRun('ws', 1, {
  verdict: limited,
  thresholds: promises,
  ledger: { ...goldenRun('ws', 1).ledger, lostByCause: { 'close-code:1006': 7, 'he said "no"\\\n': 1 } },
});

describe('a run as OpenMetrics', () => {
  it('is text that ends as such a page ends', async () => {
    const { delivery } = whole.metrics;
    const small = { ...whole, metrics: { delivery: delivery! }, ledger: { acked: 1006, lost: 0 } };
    expect(await textOf(small)).toMatchInlineSnapshot(`
      "# HELP ringside_run_info what was run
      # TYPE ringside_run_info gauge
      ringside_run_info{scenario="latency",target="ws",fingerprint="dc5a9d213400",run="7b39ba6e",version="0.1.0",protocol="ws-json",client="wire"} 1
      # HELP ringside_run_start_timestamp_seconds when the run started, since 1970
      # TYPE ringside_run_start_timestamp_seconds gauge
      ringside_run_start_timestamp_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400"} 1795254015.682
      # HELP ringside_run_elapsed_seconds how long it took
      # TYPE ringside_run_elapsed_seconds gauge
      ringside_run_elapsed_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400"} 103.2178
      # HELP ringside_verdict whether the rig or its network may have written the numbers: 1 for the verdict of the run
      # TYPE ringside_verdict gauge
      ringside_verdict{scenario="latency",target="ws",fingerprint="dc5a9d213400",verdict="clean"} 0
      ringside_verdict{scenario="latency",target="ws",fingerprint="dc5a9d213400",verdict="limited"} 1
      ringside_verdict{scenario="latency",target="ws",fingerprint="dc5a9d213400",verdict="void"} 0
      # HELP ringside_stop_info what ended the run
      # TYPE ringside_stop_info gauge
      ringside_stop_info{scenario="latency",target="ws",fingerprint="dc5a9d213400",reason="completed"} 1
      # HELP ringside_promise_kept whether a threshold was kept: 1, or broken: 0
      # TYPE ringside_promise_kept gauge
      ringside_promise_kept{scenario="latency",target="ws",fingerprint="dc5a9d213400",promise="delivery.p99<200ms"} 1
      ringside_promise_kept{scenario="latency",target="ws",fingerprint="dc5a9d213400",promise="lost==0"} 0
      ringside_promise_kept{scenario="latency",target="ws",fingerprint="dc5a9d213400",promise="connect.p99<1s"} 0
      # HELP ringside_metric_seconds percentiles of a distribution by nearest rank; one that its count can not carry is missing
      # TYPE ringside_metric_seconds gauge
      ringside_metric_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0"} 0.000211
      ringside_metric_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.5"} 0.000743
      ringside_metric_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.9"} 0.001409
      ringside_metric_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.95"} 0.002003
      ringside_metric_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.99"} 0.005003
      ringside_metric_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.999"} 0.013007
      ringside_metric_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="1"} 0.041011
      # HELP ringside_metric_interval_seconds both ends of the 95 % interval of a percentile, over broadcasts
      # TYPE ringside_metric_interval_seconds gauge
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.5",end="low"} 0.00071328
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.5",end="high"} 0.0007727200000000001
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.9",end="low"} 0.0013526399999999998
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.9",end="high"} 0.0014653600000000002
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.95",end="low"} 0.0019228799999999999
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.95",end="high"} 0.00208312
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.99",end="low"} 0.00480288
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.99",end="high"} 0.00520312
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.999",end="low"} 0.01248672
      ringside_metric_interval_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery",quantile="0.999",end="high"} 0.013527280000000001
      # HELP ringside_metric_mean_seconds mean of a distribution
      # TYPE ringside_metric_mean_seconds gauge
      ringside_metric_mean_seconds{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery"} 0.0009073
      # HELP ringside_metric_samples samples of a distribution
      # TYPE ringside_metric_samples gauge
      ringside_metric_samples{scenario="latency",target="ws",fingerprint="dc5a9d213400",metric="delivery"} 101606
      # HELP ringside_ledger counts of the ledger
      # TYPE ringside_ledger gauge
      ringside_ledger{scenario="latency",target="ws",fingerprint="dc5a9d213400",entry="acked"} 1006
      ringside_ledger{scenario="latency",target="ws",fingerprint="dc5a9d213400",entry="lost"} 0
      # EOF
      "
    `);
  });

  it('read back by the reader of Prometheus pages has every figure of the result', async () => {
    const text = await textOf(whole);
    expect(text.endsWith('\n# EOF\n')).toBe(true);
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
    expect(promises.map(({ text: promise }) => readOf('promise_kept', { promise }))).toEqual([1, 0, 0]);
  });

  it('parts the ledger by unit, times in seconds', async () => {
    const ledger = {
      ...{ cut: 211, offeredPerSecond: 9.7, lastCutMs: 1009, backAfterMs99: 2003 },
      ...{ backlogPeakAtSecond: 7, backlogDrainedInSeconds: 3 },
    };
    const samples = parseExposition(await textOf({ ...whole, ledger }));
    const family = (name: string) =>
      Object.fromEntries(
        samples
          .filter((sample) => sample.name === `ringside_${name}`)
          .map(({ labels, value }) => [labels.entry, value]),
      );
    expect(family('ledger')).toEqual({ cut: 211 });
    expect(family('ledger_per_second')).toEqual({ offeredPerSecond: 9.7 });
    expect(family('ledger_seconds')).toEqual({
      ...{ lastCutMs: 1.009, backAfterMs99: 2.003 },
      ...{ backlogPeakAtSecond: 7, backlogDrainedInSeconds: 3 },
    });
  });

  it('says of every figure what it is of', async () => {
    const common = { scenario: 'latency', target: 'ws', fingerprint: 'dc5a9d213400' };
    for (const { labels } of parseExposition(await textOf(whole))) expect(labels).toMatchObject(common);
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

it('as Prometheus text says the same, without the end', async () => {
  let text = '';
  for await (const piece of prometheus(whole)) text += piece;
  expect(text).not.toContain('# EOF');
  expect(parseExposition(text)).toEqual(parseExposition(await textOf(whole)));
});
