import type { RunResult } from '../result.js';
import { wholeRun } from './series.js';

type Environment = RunResult['environment'];

/** Holds an instant, or a span if it has an end. `value` is null if too few samples carry the figure. */
export interface TimePoint {
  atMs: number;
  untilMs?: number;
  value: number | null;
}

/** Describes anything that a result keeps over time, on the axis of the observations. */
export interface TimeSeries {
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
