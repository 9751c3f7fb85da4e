import { blocksOf } from '../measure/samples/blocks.js';
import { spelled } from '../measure/samples/distribution.js';
import { intervalsOf } from '../measure/stats/estimate.js';
import type { RunResult } from './result.js';

/** Figures may differ by this share if another version of Node computed them. */
const rounding = 1e-9;

/** Returns true if two computations of a figure agree, but for rounding. */
export function isNear(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && Math.abs(one - other) <= rounding * Math.abs(other);
}

/** Returns the message on a document whose figures are not those of the data kept with it. */
export function disagreement(differing: readonly string[], data: 'rounds' | 'blocks'): string {
  if (differing.length === 0) return '';
  return `the kept figures disagree with the kept ${data}, from which these are computed: ${differing.join(', ')}`;
}

/**
 * Recomputes the intervals of a kept run from its blocks. Also returns the percentiles whose kept intervals differ.
 * Metrics without blocks stay as they are. `series` has the blocks by the names of `blocksOf`.
 */
export function recomputedRun(
  run: RunResult,
  series: Readonly<Record<string, Uint32Array>>,
): { run: RunResult; differing: string[] } {
  const differing: string[] = [];
  const metrics = Object.entries(run.metrics).map(([name, metric]): [string, RunResult['metrics'][string]] => {
    const blocks = series[blocksOf(name)];
    if (!blocks) return [name, metric];
    const intervals = intervalsOf(metric, blocks, run.job.seed);
    const figures = new Set(Object.keys({ ...metric.intervals, ...intervals }));
    const others = [...figures].filter((figure) => !isSame(metric.intervals[figure], intervals[figure]));
    differing.push(...others.map((figure) => `${name} ${spelled(figure)}`));
    return [name, { ...metric, intervals }];
  });
  return { run: { ...run, metrics: Object.fromEntries(metrics) }, differing };
}

type Interval = readonly [low: number, high: number];

function isSame(one: Interval | undefined, other: Interval | undefined): boolean {
  return isNear(one?.[0], other?.[0]) && isNear(one?.[1], other?.[1]);
}
