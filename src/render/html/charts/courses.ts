import { bestOf, pointsTogether, type TimePoint, timeSeriesOf } from '../../../results/over-time/courses.js';
import { type GaugeName, gaugeTable, wholeRun } from '../../../results/over-time/series.js';
import type { RunResult } from '../../../results/result.js';
import type { Points } from './chart.js';

/** Holds values over time, in seconds since the load began. Null is a gap. */
export type Plotted = Exclude<Points, { curve: string }>;

type Environment = RunResult['environment'];

function plotted({ loadAtMs }: Environment, points: readonly TimePoint[], per = 1): Plotted | undefined {
  if (points.every(({ value }) => value === null)) return undefined;
  return {
    // A value of a span is drawn in its middle.
    x: points.map(({ atMs, untilMs = atMs }) => ((atMs + untilMs) / 2 - loadAtMs) / 1000),
    y: points.map(({ value }) => (value === null ? null : value / per)),
  };
}

export function gaugeOf(environment: Environment, source: string, name: GaugeName): Plotted | undefined {
  const found = environment.gauges.find((each) => each.source === source && each.name === name);
  return plotted(environment, found?.points ?? []);
}

/** Returns a gauge of all shards: the run's own, or their sum or maximum at the instants of the longest. */
export function wholeGauge(environment: Environment, name: GaugeName): Plotted | undefined {
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

/** Describes the shards that ended before their run, in sentences. */
export function endedShards({ gauges }: Environment): string[] {
  const ended = gauges.filter(({ source, endedBecause }) => source !== wholeRun && endedBecause !== undefined);
  const why = new Map(ended.map(({ source, endedBecause }) => [source, endedBecause]));
  return [...why].map(
    ([source, because]) => `${source} ended early (${because}): its last value counts for up to a second more.`,
  );
}

function nearest(points: readonly { atMs: number; value: number }[], atMs: number): number[] {
  const at = points.findIndex((point) => point.atMs >= atMs);
  const around = at < 0 ? points.slice(-1) : points.slice(Math.max(0, at - 1), at + 1);
  const [closest] = around.toSorted((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs));
  const apartMs = ((points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0)) / Math.max(1, points.length - 1) || 1000;
  return closest && Math.abs(closest.atMs - atMs) <= apartMs ? [closest.value] : [];
}

/** Returns the first of these observations that exists, of all processes of the target. */
export function observed(
  environment: Environment,
  names: readonly Environment['observations'][number]['name'][],
  together: 'sum' | 'max',
  per = 1,
): Plotted | undefined {
  const found = names.map((name) => bestOf(environment.observations, name)).find((series) => series.length > 0);
  return plotted(environment, pointsTogether(found ?? [], together), per);
}

/** Names the figures of a span: percentiles with enough independent samples, and the slowest sample. */
export const spanFigures = ['p50', 'p99', 'max'] as const;

export type SpanFigure = (typeof spanFigures)[number];

/** Returns a figure of a metric over time, in milliseconds. Spans with too few samples are gaps. */
export function percentileOver(environment: Environment, metric: string, figure: SpanFigure): Plotted | undefined {
  const name = `${metric}.${figure}`;
  const found = timeSeriesOf(environment).find((each) => each.kind === 'overTime' && each.name === name);
  return plotted(environment, found?.points ?? [], 1000);
}
