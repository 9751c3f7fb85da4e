import { median, sampleVariance } from 'simple-statistics';
import { binShare } from '../samples/blocks.js';
import { percentiles, type Summary } from '../samples/distribution.js';
import { drawsOf, factorOf, intervalOf, resampledPercentiles } from './bootstrap.js';
import { studentReach } from './trend.js';

type Interval = readonly [low: number, high: number];

/** Holds a figure over several runs, on a logarithmic scale: latencies vary by factors. */
export interface Estimate {
  centre: number;
  variance: number;
  freedom: number;
  runs: number;
}

/** Variance of a median over that of a mean, for normal values. */
const medianVariance = Math.PI / 2;
/** With fewer runs, the noise between them is unknown. */
export const minRuns = 3;
/** Minimum variance within a run, because intervals come from bins. */
const leastVariance = Math.log1p(binShare) ** 2 / 12;
/** Half width of a 95 % interval in standard deviations, for normal values. */
export const normal95 = 1.96;

/** `minBlocks` − 1. */
const freedomWithin = 9;

/** Returns the lower of two middle values, because it was measured. Throws RangeError without values. */
export function lowerMedian(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('no median of no values');
  return middle;
}

/** Estimates a figure from values and intervals (Satterthwaite 1946). Undefined for two runs, no spread or zeros. */
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
  // Equal runs do not show that there is no noise between them.
  if (variance === 0) return undefined;
  const freedom = variance ** 2 / (between ** 2 / Math.max(1, runs - 1) + own ** 2 / (runs * freedomWithin));
  return { centre: median(values.map(Math.log)), variance, freedom, runs };
}

/**
 * Spread that is allowed between starts of one server until there are enough runs to show it, as a logarithm. Measured:
 * medians of deliveries spread by 5 %, tails and answers to publishes by more. So 5 of 152 equal pairs are told apart.
 */
export const allowedSpread = Math.log(1.2);

/** Estimates a figure of too few runs by their intervals and an allowed `spread`. Undefined for zeros. */
export function estimateOfProcesses(
  values: readonly number[],
  within: readonly (Interval | undefined)[],
  spread: number,
): Estimate | undefined {
  const known = within.flatMap((each, run) => (each && each[0] > 0 && values[run]! > 0 ? [varianceOf(each)] : []));
  const runs = values.length;
  if (runs === 0 || known.length < runs) return undefined;
  const own = known.reduce((sum, each) => sum + each, 0) / runs ** 2;
  const centre = values.reduce((sum, value) => sum + Math.log(value), 0) / runs;
  return { centre, variance: own + spread ** 2 / runs, freedom: runs * freedomWithin, runs };
}

/** Returns true if the estimate includes the noise between runs. The interval of a single run is only shown. */
export function isOfRuns({ runs }: Estimate): boolean {
  return runs >= minRuns;
}

export function interval95(known: Omit<Estimate, 'runs'>): [low: number, high: number] {
  return intervalAt(0.95, known);
}

export function intervalAt(
  level: number,
  { centre, variance, freedom }: Omit<Estimate, 'runs'>,
): [low: number, high: number] {
  const reach = studentReach(level, freedom) * Math.sqrt(variance);
  return [Math.exp(centre - reach), Math.exp(centre + reach)];
}

/** Returns the ratio of two estimates (Welch 1947). */
export function ratioOf(one: Estimate, other: Estimate): Estimate {
  const variance = one.variance + other.variance;
  const freedom = variance ** 2 / (one.variance ** 2 / one.freedom + other.variance ** 2 / other.freedom);
  return { centre: one.centre - other.centre, variance, freedom, runs: Math.min(one.runs, other.runs) };
}

function varianceOf([low, high]: Interval): number {
  return Math.max(leastVariance, ((Math.log(high) - Math.log(low)) / (2 * normal95)) ** 2);
}

/** Returns the 95 % intervals of the percentiles that a count carries, or those at a level. Draws are by the seed. */
export function intervalsOf(
  summary: Summary,
  blocks: Uint32Array | undefined,
  seed: number,
  level?: number,
): Record<string, [number, number]> {
  const names = (Object.keys(percentiles) as (keyof typeof percentiles)[]).filter((name) => summary[name] !== null);
  const { count, unfinished = 0 } = summary;
  // Blocks hold only samples that arrived, so a percentile of all has a higher share among them.
  const shares = names.map((name) => Math.min(1, (percentiles[name] * (count + unfinished)) / count));
  const drawn = blocks && resampledPercentiles(blocks, shares, drawsOf(seed));
  return Object.fromEntries(
    names.flatMap((name, index) => {
      const bins = drawn?.bins[index];
      if (!drawn || !bins) return [];
      const [value, factor] = [summary[name]!, level === undefined ? 1 : factorOf(bins, drawn.stretches, level)];
      return [[name, level === undefined ? intervalOf(bins, drawn.beyond, value) : [value / factor, value * factor]]];
    }),
  );
}
