import { bisect, linearRegression, mean, median } from 'simple-statistics';
import { binAtRank, binsPerBlock, nearEdge } from '../samples/blocks.js';

/** Returns the standard errors to either side that hold the truth with probability `level`. Freedom is rounded down. */
export function studentReach(level: number, freedom: number): number {
  const whole = Math.max(1, Math.floor(freedom + 1e-9));
  const angle = bisect((at) => heldWithin(at, whole) - level, 0, Math.PI / 2, 100, 1e-13);
  return Math.sqrt(whole) * Math.tan(angle);
}

/** P(|t| < √freedom · tan(angle)) for integer freedom (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). */
function heldWithin(angle: number, freedom: number): number {
  const isOdd = freedom % 2 === 1;
  const cosine = Math.cos(angle);
  let term = isOdd ? cosine : 1;
  let sum = 0;
  for (let step = isOdd ? 2 : 1; step < freedom; step += 2) {
    sum += term;
    term *= (cosine ** 2 * step) / (step + 1);
  }
  return isOdd ? (angle + Math.sin(angle) * sum) * (2 / Math.PI) : Math.sin(angle) * sum;
}

interface Kept {
  kept: number;
  runs: number;
}

/** Returns the probability that the second side has as few passes by chance: Fisher's exact test, one-sided (1935). */
export function chanceOfFewer(one: Kept, other: Kept): number {
  const kept = one.kept + other.kept;
  const broken = one.runs + other.runs - kept;
  let ways = 0;
  for (let ofOther = Math.max(0, other.runs - broken); ofOther <= other.kept; ofOther++)
    ways += choose(kept, ofOther) * choose(broken, other.runs - ofOther);
  return ways / choose(kept + broken, other.runs);
}

export function choose(all: number, taken: number): number {
  let ways = 1;
  for (let each = 1; each <= taken; each++) ways = (ways * (all - taken + each)) / each;
  return ways;
}

/** Minimum number of points for a slope, from blocks that can be a single broadcast each. */
export const minPoints = 8;

/** Returns the median of each block, in microseconds, with its place in the schedule from 0 to 1. */
export function blockMedians(counts: Uint32Array): [place: number, us: number][] {
  const blocks = Math.floor(counts.length / binsPerBlock);
  return Array.from({ length: blocks }, (_, index) => index).flatMap((index): [number, number][] => {
    const block = counts.subarray(index * binsPerBlock, (index + 1) * binsPerBlock);
    const rank = Math.ceil(block.reduce((sum, each) => sum + each, 0) / 2);
    if (rank === 0) return [];
    const bin = binAtRank(block, rank);
    return [[(index + 0.5) / blocks, (nearEdge(bin) + nearEdge(bin + 1)) / 2]];
  });
}

/** Returns the median slope between all pairs (Theil 1950, Sen 1968). Undefined for too few points. */
export function robustSlope(
  points: readonly (readonly [x: number, y: number])[],
  fewest = minPoints,
): number | undefined {
  if (points.length < fewest) return undefined;
  const slopes: number[] = [];
  points.forEach(([x, y], at) => {
    for (const [otherX, otherY] of points.slice(at + 1)) if (otherX !== x) slopes.push((otherY - y) / (otherX - x));
  });
  return slopes.length > 0 ? median(slopes) : undefined;
}

/** Describes a least-squares line through points, with the standard error of its slope. */
export interface Fit {
  slope: number;
  intercept: number;
  slopeError: number;
  points: number;
}

/** Returns the half width of the 95 % interval of a slope. The line uses two degrees of freedom. */
export function slopeReach95({ slopeError, points }: Pick<Fit, 'slopeError' | 'points'>): number {
  return studentReach(0.95, points - 2) * slopeError;
}

/** Fits the line through `(x, y)` points. Undefined for fewer than three, or if x does not vary. */
export function fitLine(points: readonly (readonly [number, number])[]): Fit | undefined {
  const xs = points.map(([x]) => x);
  if (points.length < 3 || xs.every((x) => x === xs[0])) return undefined;
  const { m: slope, b: intercept } = linearRegression(points.map(([x, y]) => [x, y]));
  const middle = mean(xs);
  const spread = xs.reduce((sum, x) => sum + (x - middle) ** 2, 0);
  const residual = points.reduce((sum, [x, y]) => sum + (y - slope * x - intercept) ** 2, 0);
  return { slope, intercept, slopeError: Math.sqrt(residual / (points.length - 2) / spread), points: points.length };
}
