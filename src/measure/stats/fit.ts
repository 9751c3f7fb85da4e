import { linearRegression, mean } from 'simple-statistics';
import { reach95 } from './estimate.js';

/** A least-squares line through points, with the standard error of its slope. */
export interface Fit {
  slope: number;
  intercept: number;
  slopeError: number;
  points: number;
}

/** The reach of the 95 % interval of a slope; the line took two degrees of freedom. */
export function slopeReach95({ slopeError, points }: Pick<Fit, 'slopeError' | 'points'>): number {
  return reach95(slopeError, points - 2);
}

/** The line through `(x, y)` points; undefined for fewer than three, or if x does not vary. */
export function fitLine(points: readonly (readonly [number, number])[]): Fit | undefined {
  const xs = points.map(([x]) => x);
  if (points.length < 3 || xs.every((x) => x === xs[0])) return undefined;
  const { m: slope, b: intercept } = linearRegression(points.map(([x, y]) => [x, y]));
  const middle = mean(xs);
  const spread = xs.reduce((sum, x) => sum + (x - middle) ** 2, 0);
  const residual = points.reduce((sum, [x, y]) => sum + (y - slope * x - intercept) ** 2, 0);
  return { slope, intercept, slopeError: Math.sqrt(residual / (points.length - 2) / spread), points: points.length };
}
