import { max, min } from 'simple-statistics';
import type { ResultView, TargetReading } from '../../measure/declaration.js';
import { openGauge, type Point, type Series } from '../../measure/series.js';
import type { SeriesFigure } from '../../measure/threshold.js';
import { leastByBounds } from '../figures.js';
import { wholeRun } from '../progress.js';
import type { RunResult } from '../result.js';

type Environment = RunResult['environment'];

/** Holds an instant, or a span if it has an end. `value` is null if too few samples carry the figure. */
export interface TimePoint {
  atMs: number;
  untilMs?: number;
  value: number | null;
}

/** Describes anything that a result keeps over time, on the axis of the observations. */
interface TimeSeries {
  kind: 'timeline' | 'overTime' | 'gauge' | 'observation';
  source: string;
  process: string;
  name: string;
  unit: string;
  /** The end of its span at which a point stands. */
  edge: 'start' | 'end';
  points: readonly TimePoint[];
  endedBecause?: string | undefined;
}

/** Returns all four time series of a result as one list: timeline, percentiles over time, gauges, observations. */
export function timeSeriesOf({ timeline, loadAtMs, overTime, gauges, observations }: Environment): TimeSeries[] {
  const ofRun = { source: wholeRun, process: '', edge: 'start' } as const;
  const counted = Object.entries(timeline).map(([name, seconds]): TimeSeries => {
    const points = seconds.map((value, second) => ({ atMs: loadAtMs + second * 1000, value }));
    return { kind: 'timeline', ...ofRun, name, unit: 'perSecond', points };
  });
  const timed = Object.entries(overTime).flatMap(([metric, spans]) =>
    (['count', 'p50', 'p99', 'max'] as const).map((figure): TimeSeries => {
      const points = spans.map((span) => ({
        atMs: span.fromMs,
        untilMs: span.toMs,
        value: figure === 'count' ? span.count : asBinned(span[figure] ?? null),
      }));
      const unit = figure === 'count' ? 'count' : 'us';
      return { kind: 'overTime', ...ofRun, name: `${metric}.${figure}`, unit, points };
    }),
  );
  const told = gauges.map((each): TimeSeries => ({ kind: 'gauge', process: '', edge: 'end', ...each }));
  const seen = observations.map(
    ({ process = '', ...each }): TimeSeries => ({ kind: 'observation', ...each, process, edge: 'end' }),
  );
  return [...counted, ...timed, ...told, ...seen];
}

/** Rounds a percentile over time to three digits, because bins are 1.6 % wide. */
function asBinned(us: number | null): number | null {
  return us === null ? null : Number(us.toPrecision(3));
}

/** Returns one point for each instant of several series, in order of time. */
export function pointsTogether(
  courses: readonly Pick<TimeSeries, 'points'>[],
  together: 'sum' | 'max',
): { atMs: number; value: number; of: number }[] {
  const byInstant = new Map<number, { atMs: number; value: number; of: number }>();
  for (const { atMs, value } of courses.flatMap(({ points }) => points)) {
    if (value === null) continue;
    const { value: before = 0, of = 0 } = byInstant.get(atMs) ?? {};
    const both = together === 'sum' || of === 0 ? before + value : Math.max(before, value);
    byInstant.set(atMs, { atMs, value: both, of: of + 1 });
  }
  return [...byInstant.values()].sort((a, b) => a.atMs - b.atMs);
}

const sources = ['proc', 'prometheus', 'stats'];

/** Returns the series of an observation from the best source, by process and period. */
export function bestOf<S extends { source: string; name: string; points: readonly unknown[] }>(
  series: readonly S[],
  name: string,
): S[] {
  const found = series.filter((each) => each.name === name && each.points.length > 0);
  const source = sources.find((each) => found.some((one) => one.source === each));
  return found.filter((each) => each.source === source);
}

/** CPU and memory of all processes add up. Of their delays and waits, the largest counts. */
const together: Readonly<Record<TargetReading, 'sum' | 'max'>> = {
  cpuPercent: 'sum',
  coreWaitPercent: 'max',
  eventLoopDelayP99Ms: 'max',
  rssBytes: 'sum',
};

/** Returns the median reading of the target in a period after the start of a stage. Null if there is none. */
export function readingIn(
  { stages, observations }: Pick<Environment, 'stages' | 'observations'>,
  stage: string,
  name: TargetReading,
  fromMs: number,
  toMs: number,
): number | null {
  const startMs = stages.find((each) => each.name === stage)?.fromMs;
  if (startMs === undefined) return null;
  const values = pointsTogether(bestOf(observations, name), together[name])
    .filter(({ atMs }) => atMs >= startMs + fromMs && atMs < startMs + toMs)
    .map(({ value }) => value)
    .sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? null;
}

/** Returns the view of a result for a scenario that shows figures of its own. */
export function resultViewOf({ job, environment, metrics, verdict }: RunResult): ResultView {
  const { overTime } = environment;
  return {
    options: job.options,
    reading: (...asked) => readingIn(environment, ...asked),
    medians: (metric) =>
      (overTime[metric] ?? []).flatMap(({ fromMs, toMs, p50 }) =>
        p50 === null ? [] : [[(fromMs + toMs) / 2, p50] as const],
      ),
    intervalUs: (metric, figure) => metrics[metric]?.intervals[figure],
    leastUs: (metric, figure) => leastByBounds(verdict, metric, figure),
  };
}

/** Holds the parts of a result from which a target's core time is read. */
export type TargetReadings = Pick<Environment, 'loadAtMs' | 'stages' | 'observations'>;

/** Returns how long the target's threads waited for a core under load, in milliseconds; null if unknown. */
export function targetCoreWaitMs(environment: TargetReadings): number | null {
  return coreMs(environment, 'coreWaitPercent');
}

/** Returns the CPU time of the target in milliseconds under load. Null if not observed. */
export function targetCpuMs(environment: TargetReadings): number | null {
  return coreMs(environment, 'cpuPercent');
}

/** Returns the wait of its threads, as a share of the core time that they wanted; null if unknown. */
export function coreWaitShare(environments: readonly TargetReadings[]): number | null {
  const sumOf = (read: (environment: TargetReadings) => number | null): number =>
    environments.reduce((sum, each) => sum + (read(each) ?? Number.NaN), 0);
  const [waitedMs, ranMs] = [sumOf(targetCoreWaitMs), sumOf(targetCpuMs)];
  const share = waitedMs / (waitedMs + ranMs);
  return Number.isNaN(share) ? null : share;
}

function coreMs({ loadAtMs, stages, observations }: TargetReadings, name: TargetReading): number | null {
  const processes = bestOf(observations, name);
  if (processes.length === 0) return null;
  const endMs = Math.max(loadAtMs, ...stages.map(({ toMs }) => toMs));
  return processes.reduce((sum, { points }) => sum + integral(points, loadAtMs, endMs) / 100, 0);
}

/** Integrates a rate over a span of its points. Each point covers the time since the point before. */
function integral(points: readonly Point[], fromMs: number, toMs: number): number {
  return points.reduce((sum, { atMs, value }, n) => {
    const beforeMs = points[n - 1]?.atMs ?? atMs;
    return sum + value * Math.max(0, Math.min(atMs, toMs) - Math.max(beforeMs, fromMs));
  }, 0);
}

/** Returns the figures of each `--series` from the start of the load on, by name. Without a reading, there are none. */
export function seriesIn({
  observations,
  loadAtMs,
}: Omit<TargetReadings, 'stages'>): Record<string, Record<SeriesFigure, number>> {
  const values = new Map<string, number[]>();
  for (const { name, process = '', points } of observations) {
    const own = points.flatMap(({ atMs, value }) => (atMs >= loadAtMs ? value : []));
    if (name === 'query' && own.length > 0) values.set(process, [...(values.get(process) ?? []), ...own]);
  }
  return Object.fromEntries(
    [...values].map(([name, all]) => {
      const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
      return [name, { min: min(all), max: max(all), mean, last: all.at(-1)! }];
    }),
  );
}

/** Holds open connections during the ramp, and the target's memory in bytes at that instant. */
type RampReading = readonly [open: number, bytes: number];

/** A shorter ramp is not even between the ends of a second. */
const leastRampSeconds = 3;

/** Returns readings of the target's resident memory in the ramp, by time. Empty under three seconds. */
export function rampReadings(
  series: readonly Series[],
  timeline: Readonly<Record<string, readonly number[]>>,
  loadAtMs: number,
): RampReading[] {
  const { atEnd: open } = openGauge(timeline);
  const peak = open.reduce((most, each) => Math.max(most, each), 0);
  const rampSeconds = open.indexOf(peak) + 1;
  if ((timeline.opened ?? []).filter((opened) => opened > 0).length < leastRampSeconds) return [];
  const resident = bestOf(series, 'rssBytes');
  // A process that was not visible for a while has several series.
  const processes = new Set(resident.map((each) => each.process)).size;
  return pointsTogether(resident, 'sum').flatMap(({ atMs, value, of }): RampReading[] => {
    const second = (atMs - loadAtMs) / 1000;
    return of < processes || second < 0 || second >= rampSeconds ? [] : [[openAt(open, second), value]];
  });
}

function openAt(open: readonly number[], second: number): number {
  const whole = Math.floor(second);
  const before = open[whole - 1] ?? 0;
  return before + ((open[whole] ?? before) - before) * (second - whole);
}
