import { stringify } from 'csv-stringify/sync';
import type { JsHistogram } from 'hdr-histogram-js';
import { Gauge, Registry } from 'prom-client';
import type { Declaration } from '../measure/declaration.js';
import { type CountUnit, countUnitOf } from '../measure/ledger.js';
import { minSamplesBeyond, percentiles } from '../measure/samples/distribution.js';
import { createHistogram, eachValue, maxSample, recordSorted, type Samples } from '../measure/samples/samples.js';
import { timeSeriesOf } from '../results/over-time/readings.js';
import { holdsOf, type RunResult, verdict as verdictSchema } from '../results/result.js';
import { countText, shareOf } from '../units/text.js';

/** Holds the input of an export: a run, and the samples of some metrics. */
export interface Source {
  kept: RunResult;
  /** Names the metrics in the order of the export. Only one metric is in memory at a time. */
  metrics: readonly string[];
  samples(metric: string): Promise<Samples>;
  /** Returns the number of independent samples, or undefined if all are independent. */
  independent(metric: string): number | undefined;
  /** Returns the number of samples that never came, which are not among `samples`. */
  unfinished(metric: string): number;
}

type OneByOne = Pick<Source, 'metrics' | 'samples' | 'independent' | 'unfinished'>;

/** Number of lines for each halving of the rest, as in HdrHistogram's own tools. */
const ticksPerHalfDistance = 5;

/** Prints HdrHistogram's percentile text in microseconds, with the percentiles that have enough samples. */
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

type Labels = Readonly<Record<string, string>>;

const usPerSecond = 1_000_000;
const quantiles = { min: 0, ...percentiles, max: 1 } as const;

/** Prints a run as Prometheus text, with times in seconds. All metrics are gauges, because a result does not change. */
export async function* prometheus(result: RunResult): AsyncGenerator<string> {
  yield await registryOf(result).metrics();
}

/** Returns every figure of a run as a gauge. */
export function registryOf(result: RunResult): Registry {
  const registry = new Registry();
  const { scenario, target, fingerprint } = result;
  const write = writerTo(registry, { scenario, target: target.name, fingerprint });
  about(result, write);
  distributions(result, write);
  books(result, write);
  return registry;
}

type Write = (name: string, help: string, values: readonly (readonly [labels: Labels, value: number | null])[]) => void;

function writerTo(registry: Registry, common: Labels): Write {
  return (name, help, values) => {
    const known = values.filter((each): each is readonly [Labels, number] => each[1] !== null);
    if (known.length === 0) return;
    const labelNames = Object.keys({ ...common, ...known[0]?.[0] });
    const gauge = new Gauge({ name: `ringside_${name}`, help, labelNames, registers: [registry] });
    for (const [labels, value] of known) gauge.set({ ...common, ...labels }, value);
  };
}

function about(
  { tool, job, target, verdict, stop, startedAt, environment, thresholds }: RunResult,
  write: Write,
): void {
  const { protocol, client } = target;
  write('run_info', 'what was run', [[{ run: job.runId, version: tool.version, protocol, client }, 1]]);
  write('run_start_timestamp_seconds', 'when the run started, since 1970', [[{}, Date.parse(startedAt) / 1000]]);
  write('run_elapsed_seconds', 'how long it took', [[{}, environment.elapsedMs / 1000]]);
  write(
    'verdict',
    '1 for the verdict of the run: whether it is the test that was asked for',
    verdictSchema.shape.rig.options.map((rig) => [{ verdict: rig }, verdict.rig === rig ? 1 : 0]),
  );
  write('stop_info', 'what ended the run', [[{ reason: stop.code }, 1]]);
  write(
    'promise_kept',
    'whether a threshold passed: 1, or failed: 0; left out if it is undecided',
    thresholds
      .filter((each) => holdsOf(each) !== 'open')
      .map(({ text, isKept }) => [{ promise: text }, isKept ? 1 : 0]),
  );
}

function distributions({ metrics, environment }: RunResult, write: Write): void {
  const entries = Object.entries(metrics);
  const inSeconds = (us: number | null): number | null => (us === null ? null : us / usPerSecond);
  const names = Object.keys(quantiles) as (keyof typeof quantiles)[];
  write(
    'metric_seconds',
    'percentiles of a distribution by nearest rank; left out if there are too few samples',
    entries.flatMap(([metric, summary]) =>
      names.map((name) => [{ metric, quantile: String(quantiles[name]) }, inSeconds(summary[name])] as const),
    ),
  );
  write(
    'metric_interval_seconds',
    'both ends of the 95 % interval of a percentile, over broadcasts',
    entries.flatMap(([metric, { intervals }]) =>
      names.flatMap((name) =>
        (intervals[name] ?? []).map((us, index) => {
          const end = index === 0 ? 'low' : 'high';
          return [{ metric, quantile: String(quantiles[name]), end }, inSeconds(us)] as const;
        }),
      ),
    ),
  );
  write(
    'metric_mean_seconds',
    'mean of a distribution',
    entries.map(([metric, { mean }]) => [{ metric }, inSeconds(mean)]),
  );
  write(
    'metric_samples',
    'samples of a distribution',
    entries.map(([metric, { count }]) => [{ metric }, count]),
  );
  write('target_bytes_per_connection', 'memory that a connection takes in the target', [
    [{}, environment.footprint?.bytesPerConnection ?? null],
  ]);
}

const families: readonly { name: string; help: string; per: Partial<Record<CountUnit, number>> }[] = [
  { name: 'ledger', help: 'counts of the ledger', per: { count: 1 } },
  { name: 'ledger_per_second', help: 'rates of the ledger', per: { perSecond: 1 } },
  { name: 'ledger_seconds', help: 'times of the ledger, in seconds', per: { ms: 1000, seconds: 1 } },
];

function books({ ledger }: RunResult, write: Write): void {
  const entries = Object.entries(ledger);
  for (const { name, help, per } of families) {
    const own = entries.flatMap(([entry, value]) => {
      const one = per[countUnitOf(entry)];
      return typeof value === 'number' && one !== undefined ? [[{ entry }, value / one] as const] : [];
    });
    write(name, help, own);
  }
  write(
    'ledger_by_cause',
    'counts of the ledger by cause',
    entries.flatMap(([entry, value]) =>
      typeof value === 'number'
        ? []
        : Object.entries(value).map(([cause, times]) => [{ entry, cause }, times] as const),
    ),
  );
}
