import { max, min } from 'simple-statistics';
import type { ResultView, TargetReading } from '../../measure/declaration.js';
import type { Point, Series } from '../../measure/series.js';
import { openGauge } from '../../measure/series.js';
import type { SeriesFigure } from '../../measure/threshold.js';
import { leastByBounds } from '../figures.js';
import type { RunResult } from '../result.js';
import { bestOf, pointsTogether } from './courses.js';

/** CPU and memory of all processes add up. Of their delays and waits, the largest counts. */
const together: Readonly<Record<TargetReading, 'sum' | 'max'>> = {
  cpuPercent: 'sum',
  coreWaitPercent: 'max',
  eventLoopDelayP99Ms: 'max',
  rssBytes: 'sum',
};

type Environment = Pick<RunResult['environment'], 'stages' | 'observations'>;

/** Returns the median reading of the target in a period after the start of a stage. Null if there is none. */
export function readingIn(
  { stages, observations }: Environment,
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
export type TargetReadings = Pick<RunResult['environment'], 'loadAtMs' | 'stages' | 'observations'>;

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
