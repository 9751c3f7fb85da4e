import { stringify } from 'csv-stringify/sync';
import type { JsHistogram } from 'hdr-histogram-js';
import type { Declaration } from '../../measure/declaration.js';
import { minSamplesBeyond } from '../../measure/samples/distribution.js';
import { createHistogram, maxSample, recordSorted } from '../../measure/samples/histogram.js';
import { eachValue, type Samples } from '../../measure/samples/samples.js';
import { timeSeriesOf } from '../../results/over-time/courses.js';
import type { RunResult } from '../../results/result.js';
import { countText, shareOf } from '../../units/text.js';
import type { OneByOne, Source } from './markdown-parts.js';
import { prometheus } from './prometheus.js';

/** Number of lines for each halving of the rest, as in HdrHistogram's own tools. */
const ticksPerHalfDistance = 5;

/**
 * Prints HdrHistogram's percentile text in microseconds: both ends, and the percentiles with enough samples. Missing
 * samples rank after all others and have no line.
 */
export async function* hgrm({ metrics, samples, independent, unfinished }: OneByOne): AsyncGenerator<string> {
  for (const metric of metrics) {
    const [lost, came] = [unfinished(metric), await samples(metric)];
    const histogram = histogramOf(came, lost);
    const { totalCount } = histogram;
    const lines = histogram.outputPercentileDistribution(ticksPerHalfDistance, 1).split('\n');
    const arrived = totalCount - lost;
    const carried = lines.filter((line) => isCarried(line, independent(metric) ?? totalCount, arrived));
    yield (lost === 0 ? carried : withoutTheLost(carried, lost, totalCount)).join('\n');
  }
}

/** Replaces the figures that lost samples affect with lines that count the lost samples. */
function withoutTheLost(lines: readonly string[], lost: number, all: number): string[] {
  const [numbers, total] = [countText(lost), countText(all)];
  const said = [
    `#[Lost    = ${String(lost).padStart(12)}, Total count    = ${String(all).padStart(12)}]`,
    `#[${numbers} of ${total} never came and rank last: no line lies beyond ${shareOf(all - lost, all)} of all]`,
  ];
  return lines.flatMap((line) => {
    if (line.startsWith('#[Mean')) return said;
    return line.startsWith('#[Max') ? [] : [line];
  });
}

/** Allows for rounding: percentiles have twelve digits, and 50 × (1 − 0.9) is less than five. */
const rounding = 0.001;

/** Returns true if the value of a line arrived and enough independent samples lie beyond its percentile. */
function isCarried(line: string, independent: number, arrived: number): boolean {
  const [, share = Number.NaN, upTo] = line.trim().split(/\s+/).map(Number);
  if (Number.isNaN(share) || upTo === undefined || Number.isNaN(upTo)) return true;
  if (upTo > arrived) return false;
  return share === 0 || share === 1 || independent * (1 - share) > minSamplesBeyond - rounding;
}

/** Builds a histogram of the samples. Lost samples rank after all others. */
function histogramOf(samples: Samples, lost: number): JsHistogram {
  const histogram = createHistogram();
  if (samples.kind === 'histogram') histogram.add(samples.histogram);
  else if (samples.kind === 'raw') recordSorted(histogram, samples.values);
  else recordSorted(histogram, samples.tally.values, samples.tally.times);
  if (lost > 0) histogram.recordValueWithCount(maxSample, lost);
  return histogram;
}

const batchRows = 20_000;

/** Prints `metric,us`, one row per sample, sorted within its metric. Of histograms, the far edges of buckets. */
export async function* samplesCsv({ metrics, samples }: Pick<OneByOne, 'metrics' | 'samples'>): AsyncGenerator<string> {
  yield stringify([['metric', 'us']]);
  for (const metric of metrics) {
    let rows: [string, number][] = [];
    for (const us of eachSample(await samples(metric))) {
      rows.push([metric, us]);
      if (rows.length < batchRows) continue;
      yield stringify(rows);
      rows = [];
    }
    if (rows.length > 0) yield stringify(rows);
  }
}

function* eachSample(samples: Samples): Generator<number> {
  if (samples.kind === 'raw') {
    yield* samples.values;
    return;
  }
  const values: [us: number, times: number][] = [];
  eachValue(samples, (...value) => values.push(value));
  for (const [us, times] of values) for (let each = 0; each < times; each++) yield us;
}

const head = ['source', 'process', 'name', 'unit', 'atMs', 'edge', 'value'];

/** Prints all values over time. `atMs` is on the axis of the observations, at the `edge` of its span. */
export function* timelineCsv({ kept }: Pick<Source, 'kept'>): Generator<string> {
  yield stringify([head]);
  for (const { source, process, name, unit, edge, points } of timeSeriesOf(kept.environment)) {
    const known = points.filter(({ value }) => value !== null);
    yield stringify(known.map(({ atMs, value }) => [source, process, name, unit, atMs, edge, value]));
  }
}

/** Describes one export format. It yields text in pieces, because millions of rows would not fit in one string. */
export interface Format {
  name: string;
  suffix: string;
  holds: string;
  /** Number of metrics whose samples it reads. By default it reads none. */
  samples?: 'one' | 'any';
  write(source: Source): AsyncIterable<string> | Iterable<string>;
}

export const formats: readonly Format[] = [
  {
    name: 'csv',
    suffix: '.csv',
    holds: 'samples, a row each: `metric,us`, sorted within each metric',
    samples: 'any',
    write: samplesCsv,
  },
  {
    name: 'timeline-csv',
    suffix: '.timeline.csv',
    holds:
      'everything over time, a row for each point: `source,process,name,unit,atMs,edge,value`; ' +
      'percentiles to three digits',
    write: timelineCsv,
  },
  {
    name: 'hgrm',
    suffix: '.hgrm',
    holds:
      'percentiles of a metric in microseconds, as text for HdrHistogram’s plotters; ' +
      'what was lost ranks last, and a comment says how much that is',
    samples: 'one',
    write: hgrm,
  },
  {
    name: 'prometheus',
    suffix: '.prom',
    holds: 'for Prometheus: percentiles in seconds, ledger by unit, verdict, thresholds',
    write: ({ kept }) => prometheus(kept),
  },
];

/** Returns the default metric of a format with one metric: the first of the headline with samples. */
export function firstMetric({ samples }: RunResult, { headline }: Declaration): string | undefined {
  const metrics = headline.flatMap((column) => (column.kind === 'figure' ? [column.metric] : []));
  return metrics.find((metric) => (samples[metric]?.count ?? 0) > 0);
}
