import { metricTable } from '../../../measure/series.js';
import { bestOf, pointsTogether, type TimePoint, timeSeriesOf } from '../../../results/over-time/readings.js';
import type { ProgressView, RunSecond } from '../../../results/progress.js';
import { type GaugeName, gaugeTable, shardSource, type TargetMetric, wholeRun } from '../../../results/progress.js';
import type { RunResult } from '../../../results/result.js';
import type { ReportRun } from '../runs.js';
import type { Band, Points } from './chart.js';

/** Names the figures of a span: percentiles with enough independent samples, and the slowest sample. */
export const spanFigures = ['p50', 'p99', 'max'] as const;

export type LineSubject =
  | { gauge: GaugeName }
  | { metric: string; percentile: (typeof spanFigures)[number] }
  | { series: string; per: number }
  | { target: TargetMetric; observations: readonly (keyof typeof metricTable)[]; per: number };

/** Holds values over time, in seconds since the load began. Null is a gap. */
export type Plotted = Exclude<Points, { curve: string }>;

/** A `--series` of a kept run. */
export interface Queried {
  name: string;
  isBytes: boolean;
}

/** The values over time of a kept run, or of one that goes on. */
export interface TimeSource {
  label: string;
  plot(subject: LineSubject): Plotted | undefined;
  bands: readonly Band[];
  isLive: boolean;
  series: readonly Queried[];
  /** By shard, its gauges, and why it ended before the run. */
  shards: readonly { plot(gauge: GaugeName): Plotted | undefined; endedBecause?: string | undefined }[];
}

type Environment = RunResult['environment'];

export function keptSource({ label, result: { environment, shards } }: ReportRun): TimeSource {
  const { gauges, stages, loadAtMs } = environment;
  const seconds = (ms: number): number => (ms - loadAtMs) / 1000;
  return {
    ...{ label, isLive: false },
    series: environment.observations.flatMap(({ name, process = '', unit }) =>
      name === 'query' ? { name: process, isBytes: unit === 'bytes' } : [],
    ),
    plot: (subject) => plottedOf(subject, environment),
    bands: stages.map(({ name, fromMs, toMs }) => ({ name, from: seconds(fromMs), to: seconds(toMs) })),
    shards: shards.map((_part, index) => {
      const source = shardSource(index);
      const ended = gauges.find((gauge) => gauge.source === source && gauge.endedBecause !== undefined);
      return { plot: (name) => gaugeOf(environment, source, name), endedBecause: ended?.endedBecause };
    }),
  };
}

function plottedOf(subject: LineSubject, environment: Environment): Plotted | undefined {
  if ('gauge' in subject) return wholeGauge(environment, subject.gauge);
  if ('percentile' in subject) {
    const name = `${subject.metric}.${subject.percentile}`;
    const found = timeSeriesOf(environment).find((each) => each.kind === 'overTime' && each.name === name);
    return plotted(environment, found?.points ?? [], 1000);
  }
  if ('series' in subject) {
    const found = environment.observations.filter(
      ({ name, process }) => name === 'query' && process === subject.series,
    );
    return plotted(environment, pointsTogether(found, 'sum'), subject.per);
  }
  // The first of these observations that exists, of all processes of the target.
  const { observations, per } = subject;
  const found = observations.map((name) => bestOf(environment.observations, name)).find(({ length }) => length > 0);
  const [name] = observations;
  return plotted(environment, pointsTogether(found ?? [], name ? metricTable[name].together : 'sum'), per);
}

function plotted({ loadAtMs }: Environment, points: readonly TimePoint[], per = 1): Plotted | undefined {
  if (points.every(({ value }) => value === null)) return undefined;
  return {
    // A value of a span is drawn in its middle.
    x: points.map(({ atMs, untilMs = atMs }) => ((atMs + untilMs) / 2 - loadAtMs) / 1000),
    y: points.map(({ value }) => (value === null ? null : value / per)),
  };
}

function gaugeOf(environment: Environment, source: string, name: GaugeName): Plotted | undefined {
  const found = environment.gauges.find((each) => each.source === source && each.name === name);
  return plotted(environment, found?.points ?? []);
}

/** Returns a gauge of all shards: the run's own, or their sum or maximum at the instants of the longest. */
function wholeGauge(environment: Environment, name: GaugeName): Plotted | undefined {
  const whole = gaugeOf(environment, wholeRun, name);
  if (whole) return whole;
  const found = environment.gauges.filter((each) => each.name === name && each.points.length > 0);
  const [longest] = found.map(({ points }) => points).sort((a, b) => b.length - a.length);
  const isMax = gaugeTable[name].together === 'max';
  const combined = longest?.map(({ atMs }) => {
    const values = found.flatMap(({ points }) => nearest(points, atMs));
    return { atMs, value: isMax ? Math.max(...values) : values.reduce((sum, each) => sum + each, 0) };
  });
  return plotted(environment, combined ?? []);
}

function nearest(points: readonly { atMs: number; value: number }[], atMs: number): number[] {
  const at = points.findIndex((point) => point.atMs >= atMs);
  const around = at < 0 ? points.slice(-1) : points.slice(Math.max(0, at - 1), at + 1);
  const [closest] = around.toSorted((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs));
  const apartMs = ((points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0)) / Math.max(1, points.length - 1) || 1000;
  return closest && Math.abs(closest.atMs - atMs) <= apartMs ? [closest.value] : [];
}

/** Holds a run until now: the latest view, and its seconds since the load began. */
interface RunSoFar {
  view: Pick<ProgressView, 'loadAtMs' | 'stages' | 'shards'>;
  seconds: readonly RunSecond[];
}

/** Returns the values over time of a run that goes on. Lines without a value stay, so that the page does not jump. */
export function liveSource({ view: { loadAtMs, stages, shards }, seconds }: RunSoFar): TimeSource {
  const since = (ms: number): number => (ms - (loadAtMs ?? 0)) / 1000;
  const x = seconds.map(({ atMs }) => Math.round(atMs - (loadAtMs ?? 0)) / 1000);
  const plot = (valueIn: (second: RunSecond) => number | null | undefined): Plotted => {
    return { x, y: seconds.map((second) => valueIn(second) ?? null) };
  };
  return {
    ...{ label: '', isLive: true, series: [] },
    plot: (subject) =>
      plot(({ gauges, percentiles, target }) => {
        if ('gauge' in subject) return gauges[subject.gauge];
        if ('series' in subject) return undefined;
        const value = 'percentile' in subject ? percentiles[subject.percentile] : target[subject.target];
        return value && value / ('percentile' in subject ? 1000 : subject.per);
      }),
    // A stage that is not over ends at the last second.
    bands: (loadAtMs === null ? [] : stages).map(({ name, fromMs, toMs }) => {
      return { name, from: since(fromMs), to: toMs === null ? (x.at(-1) ?? 0) : since(toMs) };
    }),
    shards: shards.map((_shard, index) => ({ plot: (gauge) => plot((second) => second.shards[index]?.[gauge]) })),
  };
}
