import { median, sampleVariance } from 'simple-statistics';

type Interval = readonly [low: number, high: number];

/** What several runs say of one figure, on the scale of logarithms: latencies spread by factors, not by sums. */
export interface Estimate {
  /** Logarithm of the median of the runs. */
  centre: number;
  /** Of the centre, and how many values it was learnt from, less one. */
  variance: number;
  freedom: number;
}

/** A median of normal values spreads by this factor of variance more than their mean does. */
const medianVariance = Math.PI / 2;
/** Fewer runs know nothing of the noise between them: two could be told apart only by an interval of a factor of thousands. */
export const minRuns = 3;
/** A 95 % interval of normal values reaches this many standard deviations to either side. */
const normal95 = 1.96;

/** Student's t at 97.5 %, for 1 to 30 degrees of freedom. */
const student95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
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
  return { centre: median(values.map(Math.log)), variance, freedom };
}

/** How far a 95 % interval reaches to either side, in the unit of the standard error, which is known from so many values beyond those it was learnt with. */
export function reach95(error: number, freedom: number): number {
  return student(freedom) * error;
}

/** The figure's 95 % interval. */
export function interval95({ centre, variance, freedom }: Estimate): [low: number, high: number] {
  const reach = reach95(Math.sqrt(variance), freedom);
  return [Math.exp(centre - reach), Math.exp(centre + reach)];
}

/** How many times the one is the other (Welch 1947). */
export function ratioOf(one: Estimate, other: Estimate): Estimate {
  const variance = one.variance + other.variance;
  const freedom =
    variance === 0
      ? Math.min(one.freedom, other.freedom)
      : variance ** 2 / (one.variance ** 2 / one.freedom + other.variance ** 2 / other.freedom);
  return { centre: one.centre - other.centre, variance, freedom };
}

function varianceOf([low, high]: Interval): number {
  return ((Math.log(high) - Math.log(low)) / (2 * normal95)) ** 2;
}

/** Rounded down: the less is known, the wider. */
function student(freedom: number): number {
  return student95[Math.max(1, Math.floor(freedom + 1e-9)) - 1] ?? normal95;
}
