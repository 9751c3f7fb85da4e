import { minSamplesBeyond, percentile, type Summary, samplesFor } from '../../../measure/samples/distribution.js';
import { eachValue, type Samples, sampleCount } from '../../../measure/samples/samples.js';
import type { DrawnCurve } from './chart.js';

/** With enough points, neighbours on a curve differ by at most this share. */
export const finestStep = 0.005;

const ladder = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 1] as const;

export interface Curve extends DrawnCurve {
  percentiles: readonly { share: number; us: number }[];
}

/** Holds sorted samples by rank, from 1. */
interface Ranked {
  count: number;
  at(rank: number): number;
  lastUpTo(us: number): number;
}

/** Holds a result's counts about the samples. Missing samples rank last. */
type Told = Pick<Summary, 'unfinished' | 'independent'>;

/** Reduces a distribution to some thousand points with exact ranks. Returns undefined if it is empty. */
export function curveOf(samples: Samples, { unfinished = 0, independent }: Told = {}, runs = 1): Curve | undefined {
  const measured = sampleCount(samples);
  const count = measured + unfinished;
  const carrying = independent ?? count;
  if (measured === 0) return undefined;
  const ranked = rankedOf(samples);
  const beyond = carrying === 0 ? count : Math.ceil((minSamplesBeyond * count) / carrying);
  const lastCarried = Math.max(0, Math.min(measured, count - beyond));
  const percentiles = ladder.flatMap((share) => {
    if (share > 0 && share < 1 && carrying < samplesFor(share)) return [];
    const us = percentile(samples, share, unfinished);
    return us === null ? [] : [{ share, us }];
  });
  const always = [lastCarried, ...ladder.map((share) => Math.ceil(count * share - 1e-6))].filter(
    (rank) => rank > 0 && rank <= measured,
  );
  const mostPoints = Math.max(300, 3000 / runs);
  let ranks = picks(ranked, finestStep);
  for (let step = finestStep * 2; ranks.length > mostPoints; step *= 2) ranks = picks(ranked, step);
  const drawn = [...new Set([...ranks, ...always])].sort((a, b) => a - b);
  return { count, ranks: drawn, us: drawn.map((rank) => ranked.at(rank)), lastCarried, percentiles };
}

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

function rankedOf(samples: Samples): Ranked {
  if (samples.kind === 'raw') return rankedRaw(samples.values);
  const edges: number[] = [];
  const upTo: number[] = [];
  let seen = 0;
  eachValue(samples, (us, times) => {
    seen += times;
    edges.push(us);
    upTo.push(seen);
  });
  return {
    count: seen,
    at: (rank) => edges[below(upTo.length, (index) => (upTo[index] as number) < rank)] as number,
    lastUpTo: (us) => upTo[below(edges.length, (index) => (edges[index] as number) <= us) - 1] ?? 0,
  };
}

/** Counts the leading items for which `isSo` is true. They must all come first. */
function below(length: number, isSo: (index: number) => boolean): number {
  let low = 0;
  for (let high = length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
