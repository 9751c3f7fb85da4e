import { median, sampleVariance } from 'simple-statistics';
import { binShare } from '../samples/blocks.js';
import { studentReach } from './student.js';

type Interval = readonly [low: number, high: number];

/** What several runs say of one figure, on the scale of logarithms: latencies spread by factors, not by sums. */
export interface Estimate {
  /** Logarithm of the median of the runs. */
  centre: number;
  /** Of the centre, and how many values it was learnt from, less one. */
  variance: number;
  freedom: number;
  runs: number;
}

/** A median of normal values spreads by this factor of variance more than their mean does. */
const medianVariance = Math.PI / 2;
/** Fewer runs know nothing of the noise between them: two could be told apart only by an interval of a factor of thousands. */
export const minRuns = 3;
/** Of a figure within its run: the intervals there come out of bins, and two values that share one can't be told apart by them. */
const leastVariance = Math.log1p(binShare) ** 2 / 12;
/** A 95 % interval of normal values reaches this many standard deviations to either side. */
const normal95 = 1.96;

/** So few broadcasts carry an interval at the least (`minBlocks`). */
const freedomWithin = 9;

/** The lower middle one of an even number: a figure that was measured. Throws RangeError of none. */
export function lowerMedian(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('no median of no values');
  return middle;
}

/**
 * The estimate of a figure out of its value in each run, with the 95 % interval that it has within that run, where it has one. Runs spread by what their
 * own broadcasts let them, and by what changed between them; with few runs the second is poorly known, which the degrees of freedom say (Satterthwaite
 * 1946). Undefined of two runs, where no spread is known, or where a value has no logarithm.
 */
export function estimate(values: readonly number[], within: readonly (Interval | undefined)[]): Estimate | undefined {
  if (values.length === 0 || values.some((value) => !(value > 0))) return undefined;
  const known = within.filter((each): each is Interval => each !== undefined && each[0] > 0);
  const isKnown = known.length === values.length;
  if (values.length === 1 ? !isKnown : values.length < minRuns) return undefined;
  const runs = values.length;
  const ofMedian = runs > 1 ? medianVariance : 1;
  const spread = runs < 2 ? 0 : (sampleVariance(values.map(Math.log)) / runs) * ofMedian;
  const own = isKnown ? (known.reduce((sum, each) => sum + varianceOf(each), 0) / runs ** 2) * ofMedian : 0;
  const between = Math.max(0, spread - own);
  const variance = own + between;
  const freedom =
    variance === 0
      ? runs * freedomWithin
      : variance ** 2 / (between ** 2 / Math.max(1, runs - 1) + own ** 2 / (runs * freedomWithin));
  return { centre: median(values.map(Math.log)), variance, freedom, runs };
}

/** How far a 95 % interval reaches to either side, in the unit of the standard error, which is known from so many values beyond those it was learnt with. */
export function reach95(error: number, freedom: number): number {
  return studentReach(0.95, freedom) * error;
}

/** Whether it knows what changes between runs. Of one run it holds what that run's broadcasts let it vary: an interval to be shown, and no measure of another target. */
export function isOfRuns({ runs }: Estimate): boolean {
  return runs >= minRuns;
}

/** The figure's 95 % interval. */
export function interval95(known: Omit<Estimate, 'runs'>): [low: number, high: number] {
  return intervalAt(0.95, known);
}

/** The interval that holds the figure with the probability `level`. */
export function intervalAt(
  level: number,
  { centre, variance, freedom }: Omit<Estimate, 'runs'>,
): [low: number, high: number] {
  const reach = studentReach(level, freedom) * Math.sqrt(variance);
  return [Math.exp(centre - reach), Math.exp(centre + reach)];
}

/** How many times the one is the other (Welch 1947). */
export function ratioOf(one: Estimate, other: Estimate): Estimate {
  const variance = one.variance + other.variance;
  const freedom =
    variance === 0
      ? Math.min(one.freedom, other.freedom)
      : variance ** 2 / (one.variance ** 2 / one.freedom + other.variance ** 2 / other.freedom);
  return { centre: one.centre - other.centre, variance, freedom, runs: Math.min(one.runs, other.runs) };
}

function varianceOf([low, high]: Interval): number {
  return Math.max(leastVariance, ((Math.log(high) - Math.log(low)) / (2 * normal95)) ** 2);
}
