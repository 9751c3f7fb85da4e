import { studentReach } from '../stats/student.js';

/** A location with the interval that holds it. */
export interface Location {
  centre: number;
  low: number;
  high: number;
}

/** Fewer values carry no interval by ranks at the levels that we use. */
export const minValues = 10;

/**
 * The centre of values that lie symmetrically about it, and its interval by the signed-rank test: the median of all
 * pairwise means (Hodges and Lehmann 1963), and those of them at the critical rank (Hollander and Wolfe 1999, 3.3, with
 * Student's t for the normal reach, which is wider for few values). One stall moves it as little as it moves a median.
 * Undefined for fewer than `minValues` values.
 */
export function signedRank(values: readonly number[], level: number): Location | undefined {
  const n = values.length;
  if (n < minValues) return undefined;
  const means = walshAverages(values);
  const variance = (n * (n + 1) * (2 * n + 1)) / 24;
  const rank = Math.max(0, Math.floor(means.length / 2 - studentReach(level, n - 1) * Math.sqrt(variance)));
  return { centre: middle(means), low: means[rank]!, high: means[means.length - 1 - rank]! };
}

/** The median of all pairwise means; NaN of no values. */
export function pseudoMedian(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : middle(walshAverages(values));
}

/** The mean of each two values, each value with itself included, in ascending order. */
function walshAverages(values: readonly number[]): Float64Array {
  const n = values.length;
  const means = new Float64Array((n * (n + 1)) / 2);
  let at = 0;
  for (let one = 0; one < n; one++)
    for (let other = one; other < n; other++) means[at++] = (values[one]! + values[other]!) / 2;
  return means.sort();
}

function middle(sorted: Float64Array): number {
  const half = (sorted.length - 1) / 2;
  return (sorted[Math.floor(half)]! + sorted[Math.ceil(half)]!) / 2;
}
