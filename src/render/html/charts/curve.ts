import { minSamplesBeyond, percentile, samplesFor } from '../../../measure/samples/distribution.js';
import { type Samples, sampleCount } from '../../../measure/samples/samples.js';
import type { DrawnCurve } from './chart.js';

/** How much the samples between two ranks that are drawn may differ at most, where the points suffice. */
export const finestStep = 0.005;

/** How many points a page of so many runs has for each of their curves: it stays small, and so many lines are not read closely. */
function pointsFor(runs: number): number {
  return Math.max(300, 3000 / runs);
}

/** The percentiles that a curve's table has, as shares. */
const ladder = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 1] as const;

/** A curve with what its table has: percentiles that the count carries, the least and the largest. */
export interface Curve extends DrawnCurve {
  percentiles: readonly { share: number; us: number }[];
}

/** Sorted samples by rank, from 1. */
interface Ranked {
  count: number;
  at(rank: number): number;
  /** The last rank whose sample is not above the value. */
  lastUpTo(us: number): number;
}

/**
 * A distribution in some thousand points. Every point is a sample with its exact rank, and between two neighbours that are not consecutive ranks
 * samples differ by half a percent at most: any percentile read at the next point is exact or at most that much too high. More where the curve has
 * more points otherwise than a page of so many `runs` has for each. Those that are `unfinished` have ranks behind the last sample, where the curve ends.
 * Undefined where there are no samples.
 */
export function curveOf(samples: Samples, unfinished = 0, runs = 1): Curve | undefined {
  const measured = sampleCount(samples);
  const count = measured + unfinished;
  if (measured === 0) return undefined;
  const ranked = samples.kind === 'raw' ? rankedRaw(samples.values) : rankedHistogram(samples);
  const lastCarried = Math.max(0, Math.min(measured, count - minSamplesBeyond));
  const percentiles = ladder.flatMap((share) => {
    if (share > 0 && share < 1 && count < samplesFor(share)) return [];
    const us = percentile(samples, share, unfinished);
    return us === null ? [] : [{ share, us }];
  });
  const always = [lastCarried, ...ladder.map((share) => Math.ceil(count * share - 1e-6))].filter(
    (rank) => rank > 0 && rank <= measured,
  );
  const mostPoints = pointsFor(runs);
  let ranks = picks(ranked, finestStep);
  for (let step = finestStep * 2; ranks.length > mostPoints; step *= 2) ranks = picks(ranked, step);
  const drawn = [...new Set([...ranks, ...always])].sort((a, b) => a - b);
  return { count, ranks: drawn, us: drawn.map((rank) => ranked.at(rank)), lastCarried, percentiles };
}

/** The first and the last rank of every stretch in which samples grow by that share at most. */
function picks({ count, at, lastUpTo }: Ranked, step: number): number[] {
  const ranks: number[] = [];
  for (let rank = 1; rank <= count; ) {
    const last = lastUpTo(at(rank) * (1 + step));
    ranks.push(rank);
    if (last > rank) ranks.push(last);
    rank = last + 1;
  }
  return ranks;
}

function rankedRaw(values: Uint32Array): Ranked {
  return {
    count: values.length,
    at: (rank) => values[rank - 1] as number,
    lastUpTo: (us) => below(values.length, (index) => (values[index] as number) <= us),
  };
}

/** The same of a histogram: every sample is the far edge of its bucket, as its percentiles are. */
function rankedHistogram({ histogram }: Extract<Samples, { kind: 'histogram' }>): Ranked {
  const edges: number[] = [];
  const upTo: number[] = [];
  for (let index = 0, seen = 0; seen < histogram.totalCount; index++) {
    const count = histogram.getCountAtIndex(index);
    if (count === 0) continue;
    seen += count;
    edges.push(histogram.highestEquivalentValue(histogram.valueFromIndex(index)));
    upTo.push(seen);
  }
  return {
    count: histogram.totalCount,
    at: (rank) => edges[below(upTo.length, (index) => (upTo[index] as number) < rank)] as number,
    lastUpTo: (us) => upTo[below(edges.length, (index) => (edges[index] as number) <= us) - 1] ?? 0,
  };
}

/** How many of the first things are so, where all that are so come first. */
function below(length: number, isSo: (index: number) => boolean): number {
  let low = 0;
  for (let high = length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
