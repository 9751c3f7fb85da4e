import type { ResultView, TargetReading } from '../../measure/declaration.js';
import type { Point, Series } from '../../measure/series.js';
import { openGauge } from '../../measure/stats/gauge.js';
import { leastByMarks } from '../figures.js';
import type { RunResult } from '../result.js';
import { bestOf, pointsTogether } from './courses.js';

/** What all processes of the target have in common is added up, and the worst of what each has of its own. */
const together: Readonly<Record<TargetReading, 'sum' | 'max'>> = {
  cpuPercent: 'sum',
  coreWaitPercent: 'max',
  eventLoopDelayP99Ms: 'max',
  rssBytes: 'sum',
};

type Environment = Pick<RunResult['environment'], 'stages' | 'observations'>;

/** The median reading of the target in a time after the start of a stage; null without one. */
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

/** What a result tells a scenario that has figures of its own to show. */
export function resultViewOf({ job, environment, verdict }: RunResult): ResultView {
  const { overTime } = environment;
  return {
    options: job.options,
    reading: (...asked) => readingIn(environment, ...asked),
    medians: (metric) =>
      (overTime[metric] ?? []).flatMap(({ fromMs, toMs, p50 }) =>
        p50 === null ? [] : [[(fromMs + toMs) / 2, p50] as const],
      ),
    leastUs: (metric, figure) => leastByMarks(verdict, metric, figure),
  };
}

/** What the core time of a target is read from. */
export type TargetReadings = Pick<RunResult['environment'], 'loadAtMs' | 'stages' | 'observations'>;

/** How long the target's threads were ready to run without a core, in milliseconds under load; null if not observed. */
export function targetCoreWaitMs(environment: TargetReadings): number | null {
  return coreMs(environment, 'coreWaitPercent');
}

/** The CPU time of the target in milliseconds under load; null if not observed. */
export function targetCpuMs(environment: TargetReadings): number | null {
  return coreMs(environment, 'cpuPercent');
}

/** How long its threads waited, as a share of the core time that they wanted in several runs; null if not observed. */
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

/** A rate over a span of its points, each of which stands for the time since the point before. */
function integral(points: readonly Point[], fromMs: number, toMs: number): number {
  return points.reduce((sum, { atMs, value }, n) => {
    const beforeMs = points[n - 1]?.atMs ?? atMs;
    return sum + value * Math.max(0, Math.min(atMs, toMs) - Math.max(beforeMs, fromMs));
  }, 0);
}

/** Open connections during the ramp, and the target's memory in bytes at that instant. */
type RampReading = readonly [open: number, bytes: number];

/** A shorter ramp is not even between the ends of a second. */
const leastRampSeconds = 3;

/** Readings of the target's resident memory in the ramp, in order of time; none of a ramp under three seconds. */
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
  // A process that was out of sight for a while has several series.
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
