import type { RunResult } from '../../../results/result.js';
import { type GaugeName, gaugeTable, wholeRun } from '../../../results/series.js';
import { asBinned } from '../../words/figures.js';

/** Values over time, in seconds since the load began; null is a gap. */
export interface Course {
  x: number[];
  y: (number | null)[];
}

type Environment = RunResult['environment'];
type Observed = Environment['observations'][number];
interface Point {
  atMs: number;
  value: number;
}

const secondsOf = ({ loadAtMs }: Environment, atMs: number): number => (atMs - loadAtMs) / 1000;

function courseOf(environment: Environment, points: readonly Point[], per = 1): Course | undefined {
  if (points.length === 0) return undefined;
  return { x: points.map(({ atMs }) => secondsOf(environment, atMs)), y: points.map(({ value }) => value / per) };
}

/** A gauge of one source. */
export function gaugeOf(environment: Environment, source: string, name: GaugeName): Course | undefined {
  const found = environment.gauges.find((each) => each.source === source && each.name === name);
  return courseOf(environment, found?.points ?? []);
}

/** A gauge of all shards together: as the run has it, or else as its table says, at the instants of the shard that has most. */
export function wholeGauge(environment: Environment, name: GaugeName): Course | undefined {
  const whole = gaugeOf(environment, wholeRun, name);
  if (whole) return whole;
  const found = environment.gauges.filter((each) => each.name === name && each.points.length > 0);
  const [longest] = found.map(({ points }) => points).sort((a, b) => b.length - a.length);
  const combined = longest?.map(({ atMs }) => {
    const values = found.flatMap(({ points }) => nearest(points, atMs));
    const value =
      gaugeTable[name].together === 'max' ? Math.max(...values) : values.reduce((sum, each) => sum + each, 0);
    return { atMs, value };
  });
  return courseOf(environment, combined ?? []);
}

/** Which shards did not last the run, in sentences: what is added up over shards has their last value up to a second longer, and nothing of them after it. */
export function endedShards({ gauges }: Environment): string[] {
  const why = new Map(
    gauges.flatMap(({ source, endedBecause }) =>
      source === wholeRun || endedBecause === undefined ? [] : [[source, endedBecause] as const],
    ),
  );
  return [...why].map(
    ([source, because]) => `${source} ended early (${because}): its last value counts for up to a second more.`,
  );
}

/** The value closest to an instant; none where the shard was not there by more than the distance of its points. */
function nearest(points: readonly Point[], atMs: number): number[] {
  const at = points.findIndex((point) => point.atMs >= atMs);
  const around = at < 0 ? points.slice(-1) : points.slice(Math.max(0, at - 1), at + 1);
  const [closest] = around.toSorted((a, b) => Math.abs(a.atMs - atMs) - Math.abs(b.atMs - atMs));
  const apartMs = ((points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0)) / Math.max(1, points.length - 1) || 1000;
  return closest && Math.abs(closest.atMs - atMs) <= apartMs ? [closest.value] : [];
}

/** The sources of observations, the closest to the kernel first. */
const sources: readonly Observed['source'][] = ['proc', 'prometheus', 'stats', 'railway'];

/** The first of these observations that any source has, of all processes of the target together. */
export function observed(
  environment: Environment,
  names: readonly Observed['name'][],
  together: 'sum' | 'max',
  per = 1,
): Course | undefined {
  for (const name of names) {
    for (const source of sources) {
      const found = environment.observations.filter((each) => each.source === source && each.name === name);
      const course = courseOf(
        environment,
        atOnce(
          found.flatMap(({ points }) => points),
          together,
        ),
        per,
      );
      if (course) return course;
    }
  }
  return undefined;
}

/** One point for each instant, in order. */
function atOnce(points: readonly Point[], together: 'sum' | 'max'): Point[] {
  const byInstant = new Map<number, number>();
  for (const { atMs, value } of points) {
    const before = byInstant.get(atMs);
    const both = before === undefined ? value : together === 'sum' ? before + value : Math.max(before, value);
    byInstant.set(atMs, both);
  }
  return [...byInstant].map(([atMs, value]) => ({ atMs, value })).sort((a, b) => a.atMs - b.atMs);
}

/** A percentile of a metric over time, in milliseconds to three digits, each in the middle of its span; a gap where too few samples carry it. */
export function percentileOver(environment: Environment, metric: string, figure: 'p50' | 'p99'): Course | undefined {
  const spans = environment.overTime[metric] ?? [];
  if (spans.every((span) => span[figure] === null)) return undefined;
  return {
    x: spans.map(({ fromMs, toMs }) => secondsOf(environment, (fromMs + toMs) / 2)),
    y: spans.map((span) => {
      const us = asBinned(span[figure]);
      return us === null ? null : us / 1000;
    }),
  };
}
