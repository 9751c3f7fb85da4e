import { mean, sampleVariance } from 'simple-statistics';
import { drawsOf, resamples } from '../stats/bootstrap.js';
import { robustSlope, studentReach } from '../stats/trend.js';

/** Holds logarithms of times by round and target. `Infinity` if a broadcast never arrived, NaN for an excluded slot. */
export type Rounds = readonly (readonly number[])[];

/** Fewer starts leave the variance between them to chance. */
export const minStarts = 3;
/** Fewer rounds say nothing about the noise within a start. */
const minRounds = 8;

/** Compares a target with another one over starts, as logarithms of their ratio. */
export interface PairOverStarts {
  ofStarts: readonly number[];
  /** Mean of the starts. Not finite if the median of one did not arrive. */
  centre: number;
  /** Variance of the centre, from this pair alone: targets differ in their noise. */
  variance: number;
  freedom: number;
  /** Centres that other rounds of these starts might have produced, in ascending order. */
  drawn: Float64Array;
  /** By start, the change of the ratio from the first round to the last. Undefined with too few rounds. */
  changes: readonly number[] | undefined;
  leastRounds: number;
  /** Set if the rounds of most starts lie at two levels, with the median between them or at one of them. */
  hasLevels: boolean;
  /** Set if the rounds of one of the two targets, of all starts together, lie at two levels. */
  isSplit: boolean;
}

/** Compares `a` with `b` in the same rounds. Undefined for few starts, or if a start has no round for both. */
export function pairOverStarts(starts: readonly Rounds[], a: number, b: number): PairOverStarts | undefined {
  const isEmpty = starts.some((rounds) => rounds.every((round) => Number.isNaN(round[a]) || Number.isNaN(round[b])));
  if (starts.length < minStarts || isEmpty) return undefined;
  const differences = starts.map((rounds) => distances(rounds, a, b));
  const sorted = differences.map((each) => Float64Array.from(each).sort());
  const ofStarts = sorted.map(middle);
  const centre = mean(ofStarts);
  const ofTarget = (target: number): Float64Array =>
    Float64Array.from(starts.flat(), (round) => round[target]!)
      .filter(Number.isFinite)
      .sort();
  return {
    ofStarts,
    centre,
    variance: Number.isFinite(centre) ? sampleVariance(ofStarts) / starts.length : Number.NaN,
    freedom: starts.length - 1,
    drawn: drawnCentres(sorted),
    changes: changesIn(differences),
    leastRounds: Math.min(...sorted.map(({ length }) => length)),
    hasLevels: sorted.filter(hasGap).length > sorted.length / 2,
    isSplit: hasGap(ofTarget(a)) || hasGap(ofTarget(b)),
  };
}

/**
 * Returns pairs of the minimum number of starts with a shrunk variance. The usual variance of all pairs counts as one
 * more start, because two degrees of freedom alone separate little. With four or more starts, or fewer than three
 * pairs, each pair keeps its own variance.
 */
export function shrunkPairs(pairs: readonly PairOverStarts[]): readonly PairOverStarts[] {
  const known = pairs.flatMap(({ variance }) => (Number.isFinite(variance) ? variance : []));
  if (known.length < 3) return pairs;
  const usual = mean(known);
  return pairs.map((pair) => {
    const { variance, freedom, ofStarts } = pair;
    if (ofStarts.length > minStarts) return pair;
    return { ...pair, variance: (freedom * variance + usual) / (freedom + 1), freedom: freedom + 1 };
  });
}

/** Returns the logarithm of `a` over `b` in each round, without excluded rounds and those that neither reached. */
function distances(rounds: Rounds, a: number, b: number): number[] {
  return rounds.map((round) => round[a]! - round[b]!).filter((distance) => !Number.isNaN(distance));
}

/** Returns the mean of the two middle values. The lower one alone would bias every ratio of few rounds. */
function middle(sorted: Float64Array): number {
  const half = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(half)] ?? Number.NaN) + (sorted[Math.ceil(half)] ?? Number.NaN)) / 2;
}

/** A gap around the median is this many times as wide as the values on either side of it. */
const gapTimes = 3;

/** Returns true for two levels with a gap around the median. One stall on either side does not count. */
function hasGap(sorted: Float64Array): boolean {
  const { length } = sorted;
  if (length < minRounds) return false;
  const at = (share: number): number => sorted[Math.ceil(length * share) - 1]!;
  const [low, high] = [at(0.3), at(0.75)];
  return high - low > gapTimes * Math.max(low - sorted[1]!, sorted[length - 2]! - high);
}

/** Returns, by start, the robust slope over its rounds (Theil and Sen), from the first round to the last. */
export function changesIn(values: readonly (readonly number[])[]): number[] | undefined {
  const changes = values.flatMap((each) => {
    const points = each.flatMap((value, at): [number, number][] => (Number.isFinite(value) ? [[at, value]] : []));
    const slope = robustSlope(points);
    return slope === undefined ? [] : [slope * (each.length - 1)];
  });
  return changes.length === values.length ? changes : undefined;
}

/** Returns means of the starts' medians if each start drew its rounds again with replacement, ascending. */
function drawnCentres(sorted: readonly Float64Array[]): Float64Array {
  const sums = new Float64Array(resamples);
  sorted.forEach((values, start) => {
    const ranks = medianRanks(values.length);
    const steps = stepsOf(start);
    for (let at = 0; at < resamples; at++) {
      const rank = ranks[steps[at]!]!;
      // The upper median is the mirror of the lower one.
      sums[at]! += values[at % 2 === 0 ? rank : values.length - 1 - rank] ?? Number.NaN;
    }
  });
  // Without any median that arrived on either side, there is nothing to rank.
  const drawn = sums.map((sum, at) => {
    if (Number.isNaN(sum)) return (at % 2 === 0 ? 1 : -1) * Number.POSITIVE_INFINITY;
    return sum / sorted.length;
  });
  return drawn.sort();
}

/** Returns, by draw, the step of probability of the start with that number. It is the same for every pair. */
function stepsOf(start: number): Uint16Array {
  while (stepTables.length <= start) {
    const draw = drawsOf(stepTables.length);
    stepTables.push(Uint16Array.from({ length: resamples }, () => draw(rankSteps)));
  }
  return stepTables[start]!;
}

const stepTables: Uint16Array[] = [];
const rankSteps = 4096;
const rankTables = new Map<number, Uint16Array>();

/**
 * Returns the rank of the lower median of `length` values, drawn with replacement from as many. There is one rank for
 * each of `rankSteps` equal steps of probability. The median lies at or below rank k if half of the draws do. That is a
 * binomial of k / length.
 */
function medianRanks(length: number): Uint16Array {
  const known = rankTables.get(length);
  if (known) return known;
  const table = new Uint16Array(rankSteps);
  let rank = 0;
  let below = halfBelow(length, 1);
  for (let step = 0; step < rankSteps; step++) {
    while (rank < length - 1 && below < (step + 0.5) / rankSteps) below = halfBelow(length, ++rank + 1);
    table[step] = rank;
  }
  rankTables.set(length, table);
  return table;
}

/** P(at least half of `n` draws are among the lowest `k` of `n` values). */
function halfBelow(n: number, k: number): number {
  const share = k / n;
  if (share >= 1) return 1;
  let term = (1 - share) ** n;
  let fewer = 0;
  for (let count = 0; count < Math.ceil(n / 2); count++) {
    fewer += term;
    term *= ((n - count) / (count + 1)) * (share / (1 - share));
  }
  return 1 - fewer;
}

/** An interval for the ratio, as logarithms. `isByRounds`: the rounds make it wider than the starts do. */
export interface Reach {
  low: number;
  high: number;
  isByRounds: boolean;
}

/**
 * Returns the interval of that level. It covers the differences between fresh processes (Student's t), and what other
 * rounds of the same processes might have shown: with two levels of latency, few starts may agree by chance. With two
 * levels, it also covers each start, because the truth lies at one of the levels, and the mean between them.
 */
export function reachAt(level: number, pair: PairOverStarts): Reach {
  const { centre, variance, freedom } = pair;
  const reach = studentReach(level, freedom) * Math.sqrt(variance);
  const [low, high] = ofTheseRounds(level, pair);
  const seen = pair.hasLevels ? pair.ofStarts : [centre];
  return {
    low: Math.min(centre - reach, low, ...seen),
    high: Math.max(centre + reach, high, ...seen),
    isByRounds: low < centre - 2 * reach || high > centre + 2 * reach,
  };
}

export function ofTheseRounds(level: number, { drawn }: PairOverStarts): [low: number, high: number] {
  const beyond = Math.floor((drawn.length * (1 - level)) / 2);
  return [drawn[beyond]!, drawn[drawn.length - 1 - beyond]!];
}

export function ofTheseProcesses(pair: PairOverStarts): [low: number, high: number] | null {
  if (pair.leastRounds < minRounds) return null;
  const [low, high] = ofTheseRounds(0.95, pair);
  return Number.isFinite(low) && Number.isFinite(high) ? [Math.exp(low), Math.exp(high)] : null;
}

/** Returns the change of the ratio within a start if it is beyond chance and more than `margin`. Otherwise 0. */
export function changeWithin({ changes }: Pick<PairOverStarts, 'changes'>, error: number, margin: number): number {
  if (!changes || changes.length < minStarts) return 0;
  const change = mean(changes);
  const reach = studentReach(1 - error, changes.length - 1) * Math.sqrt(sampleVariance(changes) / changes.length);
  return Math.abs(change) > reach && Math.abs(change) > margin ? change : 0;
}
