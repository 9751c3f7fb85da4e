import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../test/golden.js';
import { goldenResult } from '../../test/golden-result.js';
import { goldenRun, goldenThresholds, latency, limited } from '../../test/kept-golden.js';
import { percentiles, summarize } from '../measure/samples/distribution.js';
import { createHistogram, recordSorted, type Samples } from '../measure/samples/samples.js';
import type { RunResult } from '../results/result.js';
import { type MetricSample, parseExposition } from '../targets/observe/prometheus.js';
import { firstMetric, hgrm, prometheus, samplesCsv, timelineCsv } from './exports.js';

const _samples = async (): Promise<Samples> => ({ kind: 'raw', values: Uint32Array.of(211, 743) });

it('takes the first metric of the headline that has samples', () => {
  expect(firstMetric(goldenResult(), latency)).toBe('delivery');
  expect(firstMetric(goldenResult({ samples: {} }), latency)).toBeUndefined();
});

const raw = (...values: number[]): Samples => ({ kind: 'raw', values: Uint32Array.from(values) });

async function csvOf(samples: Record<string, Samples>): Promise<string[]> {
  const metrics = Object.keys(samples);
  const pieces = samplesCsv({ metrics, samples: async (metric) => samples[metric]! });
  const texts: string[] = [];
  for await (const piece of pieces) texts.push(piece);
  return texts;
}

it('samples as CSV are a row each', async () => {
  const text = (await csvOf({ delivery: raw(211, 743, 743, 41_011), publishAck: raw(), connect: raw(7) })).join('');
  expect(text).toBe('metric,us\ndelivery,211\ndelivery,743\ndelivery,743\ndelivery,41011\nconnect,7\n');
});

it('samples as CSV come in pieces, and read back are all there', async () => {
  const values = Uint32Array.from({ length: 70_001 }, (_, index) => index * 3);
  const pieces = await csvOf({ delivery: { kind: 'raw', values } });
  expect(pieces.length).toBeGreaterThan(3);
  const rows = parse(pieces.join(''), { columns: true }) as { metric: string; us: string }[];
  expect(Uint32Array.from(rows, ({ us }) => Number(us))).toEqual(values);
});

it('samples as CSV of a histogram stand at the far edge of their bucket', async () => {
  const histogram = createHistogram();
  recordSorted(histogram, Uint32Array.of(3, 3, 1_000_003));
  const rows = parse((await csvOf({ delivery: { kind: 'histogram', histogram } })).join(''), { from_line: 2 });
  expect(rows).toEqual([
    ['delivery', '3'],
    ['delivery', '3'],
    ['delivery', String(histogram.highestEquivalentValue(1_000_003))],
  ]);
});

describe('CSV over time', () => {
  const kept = goldenResult();

  it('is a row for each point', async () => {
    await expectGolden('timeline-csv.txt', { 'a run': [...timelineCsv({ kept })].join('') });
  });

  it('read back has every point, each on the axis of the observations', () => {
    const rows = parse([...timelineCsv({ kept })].join(''), { columns: true, cast: true }) as Record<string, unknown>[];
    const { gauges, observations, timeline, loadAtMs } = kept.environment;
    const points = [...gauges, ...observations].flatMap(({ source, name, unit, points: all, ...more }) =>
      all.map((point) => ({
        source,
        process: Number('process' in more ? more.process : 0) || '',
        name,
        unit,
        edge: 'end',
        ...point,
      })),
    );
    expect(rows).toEqual(expect.arrayContaining(points));
    const opened = rows.filter(({ source, name }) => source === 'run' && name === 'opened');
    expect(opened.map(({ value }) => value)).toEqual(timeline.opened);
    expect(opened.map(({ atMs }) => atMs)).toEqual([loadAtMs, loadAtMs + 1000]);
  });
});

async function textOf(write: typeof hgrm, samples: Samples, independent?: number, lost = 0): Promise<string> {
  let text = '';
  for await (const piece of write({
    metrics: ['delivery'],
    samples: async () => samples,
    independent: () => independent,
    unfinished: () => lost,
  }))
    text += piece;
  return text;
}

/** Reads the lines as every plotter does: value, percentile, count up to it. */
function linesOf(text: string): { us: number; share: number; upTo: number }[] {
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([us = Number.NaN, share = Number.NaN, upTo = Number.NaN]) => ({ us, share, upTo }));
}

/** One part in two thousand to either side: three digits. */
const resolution = 1e-3;
const sorted = (values: number[]): Samples => ({ kind: 'raw', values: Uint32Array.from(values).sort() });
const latencies = fc
  .array(fc.oneof(fc.nat(2000), fc.nat(10_000_000), fc.nat(0xffff_ffff)), { minLength: 1, maxLength: 2003 })
  .map(sorted);

it('a distribution is written as HdrHistogram writes it', async () => {
  const few = [211, 743, 743, 907, 907, 907, 1009, 1103, 2003, 41_011];
  expect(await textOf(hgrm, sorted(few))).toMatchInlineSnapshot(`
      "       Value     Percentile TotalCount 1/(1-Percentile)

           211.000 0.000000000000          1           1.00
           211.000 0.100000000000          1           1.11
           743.000 0.200000000000          3           1.25
           743.000 0.300000000000          3           1.43
           907.000 0.400000000000          6           1.67
           907.000 0.500000000000          6           2.00
         41023.000 1.000000000000         10
      #[Mean    =     4954.100, StdDeviation   =    12025.341]
      #[Max     =    41011.000, Total count    =           10]
      #[Buckets =           22, SubBuckets     =         2048]
      "
    `);
});

it('a distribution has no percentile but its ends with fewer than five samples beyond', async () => {
  await fc.assert(
    fc.asyncProperty(latencies, async (samples) => {
      const count = (samples as { values: Uint32Array }).values.length;
      const lines = linesOf(await textOf(hgrm, samples));
      expect([lines[0]?.share, lines.at(-1)?.share]).toEqual([0, 1]);
      for (const { share } of lines.slice(1, -1)) expect(count * (1 - share)).toBeGreaterThan(4.99);
    }),
    { numRuns: 29 },
  );
  const shares = linesOf(await textOf(hgrm, sorted(Array.from({ length: 50 }, (_, n) => 211 + n))));
  expect(shares.at(-2)?.share).toBe(0.9);
});

it('a distribution read back says of each line what the samples say, within three digits', async () => {
  await fc.assert(
    fc.asyncProperty(latencies, async (samples) => {
      const values = (samples as { values: Uint32Array }).values;
      const lines = linesOf(await textOf(hgrm, samples));
      expect(lines.at(-1)?.upTo).toBe(values.length);
      for (const { us, upTo } of lines) {
        const truth = values[upTo - 1]!;
        expect(us).toBeGreaterThanOrEqual(truth);
        expect(us).toBeLessThanOrEqual(truth * (1 + resolution));
      }
    }),
    { numRuns: 29 },
  );
});

it('a distribution read back holds each percentile of the result between the two lines around it', async () => {
  await fc.assert(
    fc.asyncProperty(latencies, async (samples) => {
      const lines = linesOf(await textOf(hgrm, samples));
      for (const [name, share] of Object.entries(percentiles)) {
        const figure = summarize(samples)[name as keyof typeof percentiles];
        if (figure === null) continue;
        const above = lines.find((line) => line.share >= share)!;
        const below = lines.findLast((line) => line.share <= share) ?? lines[0]!;
        expect(figure).toBeLessThanOrEqual(above.us);
        expect(figure * (1 + resolution)).toBeGreaterThanOrEqual(below.us);
      }
    }),
    { numRuns: 29 },
  );
});

describe('a distribution with losses', () => {
  const came = sorted(Array.from({ length: 900 }, (_, n) => 1000 + n));

  it('ranks what was lost behind all that came, has no line for it, and says how much it is', async () => {
    const text = await textOf(hgrm, came, undefined, 100);
    const lines = linesOf(text);
    const { p50, p90, max, mean } = summarize(came, 'us', 100);
    const at = (share: number): number | undefined => lines.find((line) => line.share >= share)?.us;
    expect(at(0.5)).toBeGreaterThanOrEqual(p50!);
    expect(at(0.5)).toBeLessThanOrEqual(p50! * (1 + resolution));
    expect(at(0.9)).toBeLessThanOrEqual(p90! * (1 + resolution));
    expect(lines.at(-1)?.upTo).toBe(900);
    expect(lines.at(-1)?.share).toBeLessThanOrEqual(0.9);
    expect([max, mean]).toEqual([null, null]);
    const comments = text.split('\n').filter((line) => line.startsWith('#['));
    expect(comments.join()).toMatch(/Lost += {2,}100, Total count += {2,}1000\]/);
    expect(comments.filter((line) => /^#\[(Mean|Max)/.test(line))).toEqual([]);
  });
});

async function pageOf(result: RunResult): Promise<string> {
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
  await expectGolden('prometheus.txt', { 'a run': await pageOf(small) });
});

it('a run for Prometheus read back by the reader of Prometheus pages has every figure of the result', async () => {
  const text = await pageOf(whole);
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
  const samples = parseExposition(await pageOf({ ...whole, ledger }));
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
