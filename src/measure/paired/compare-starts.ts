import { bisect, errorFunction, mean, median } from 'simple-statistics';
import { concludePairs, type PairedRatio, pairsAmong } from './conclude.js';
import { changesIn, minStarts, type Rounds } from './starts.js';

/** Holds the figures of one target in one start, by round, in microseconds. Null if a round has none. */
export interface TimedRounds {
  p50Us: readonly (number | null)[];
  p50AtLeastUs: readonly (number | null)[];
  lastUs: readonly (number | null)[];
  /** Rounds left out for this target, and rounds left out for all targets. */
  excluded: readonly number[];
  overlapping: readonly number[];
}

export type Timed = 'p50Us' | 'p50AtLeastUs' | 'lastUs';

interface StartsQuestion {
  equalWithin: number;
  startsPlanned: number;
  /** Set if no further start follows, whatever the result. */
  isLast: boolean;
  /** The places of the twin and of its original. -1 without a twin. */
  twin: number;
  twinOf: number;
}

/** A target that differs from its own twin at 99 % makes the comparison unreliable. */
const controlError = 0.01;

/** Compares all targets by all rounds. Claims also hold without the time of the rig. Undefined for few starts. */
export function compareStarts(
  starts: readonly (readonly TimedRounds[])[],
  { equalWithin, startsPlanned, isLast, twin, twinOf }: StartsQuestion,
) {
  const look = { starts: starts.length, planned: startsPlanned, isLast };
  const error = (statements: number): number => errorAt(look, statements);
  const targets = starts[0]?.length ?? 0;
  const without = pairsAmong(targets).filter((pair) => pair.includes(twin));
  const most = roundsOfAll(starts, 'p50Us');
  const pairs = concludePairs(most, { error, equalWithin, without });
  const lastPairs = concludePairs(roundsOfAll(starts, 'lastUs'), { error, equalWithin, without });
  if (!pairs || !lastPairs) return undefined;
  const others = pairsAmong(targets).filter((pair) => !(pair.includes(twin) && pair.includes(twinOf)));
  const control =
    twin < 0 ? undefined : concludePairs(most, { error: () => controlError, equalWithin, without: others })?.[0];
  const raw = starts.map((start) => start.map((each) => ({ ...each, excluded: [] })));
  const isAlike = starts.every((start) => start.every(({ excluded }) => excluded.length === 0));
  return {
    pairs: pairs.map((pair) => withoutRig(starts, pair, Math.log1p(equalWithin))),
    lastPairs,
    // With no round left out, except those that overlap the next one.
    rawPairs: isAlike ? pairs : (concludePairs(roundsOfAll(raw, 'p50Us'), { error, equalWithin, without }) ?? []),
    control,
    // Targets that change within a start and so move a ratio, with the factor from first to last round.
    trends: trendsIn(most, pairs),
  };
}

/** Returns the pair. It is open if its result does not hold without the time that the rig may have added. */
function withoutRig(starts: readonly (readonly TimedRounds[])[], pair: PairedRatio, margin: number): PairedRatio {
  const { a, b, ratio, holds } = pair;
  if (holds === 'open' || ratio === null) return pair;
  const least = Math.log(usualLeastUs(starts, a) / usualLeastUs(starts, b));
  const isSame = holds === 'no' ? Math.abs(least) <= margin : Math.sign(least) === Math.sign(Math.log(ratio));
  return isSame ? pair : { ...pair, holds: 'open', because: 'rig' };
}

/** Returns the median lower bound of a target over all rounds. Those of single rounds can be near 0. */
function usualLeastUs(starts: readonly (readonly TimedRounds[])[], place: number): number {
  return median(starts.flatMap((start) => start[place]!.p50AtLeastUs.flatMap((us) => us ?? [])));
}

function trendsIn(starts: readonly Rounds[], pairs: readonly PairedRatio[]) {
  const changeOf = (target: number): number =>
    mean(changesIn(starts.map((rounds) => rounds.map((round) => round[target]!))) ?? [0]);
  const moving = pairs
    .filter(({ change }) => change !== null)
    .map(({ a, b }) => (Math.abs(changeOf(a)) > Math.abs(changeOf(b)) ? a : b));
  return [...new Set(moving)].map((target) => ({ target, change: Math.exp(changeOf(target)) }));
}

/** Holds a ratio over starts. The truth lies above `low` with 95 %, and below `high` with 95 %. */
export interface OneSidedRatio {
  ratio: number | null;
  bounds: [low: number, high: number] | null;
  /** Ratio of the medians over all rounds. A verdict must hold for it, too. */
  ofMedians: number | null;
}

/** Two ends that each hold with 95 % hold together with 90 %. */
const bothEnds = 0.1;

/** Returns the ratio of the times of targets `a` and `b`. Undefined if there are too few starts. */
export function ratioOfStarts(
  starts: readonly (readonly TimedRounds[])[],
  timed: Timed,
  { a, b, equalWithin }: { a: number; b: number; equalWithin: number },
): OneSidedRatio | undefined {
  const two = starts.map((start) => [start[a]!, start[b]!]);
  const pair = concludePairs(roundsOfAll(two, timed), { error: () => bothEnds, equalWithin })?.[0];
  if (!pair) return undefined;
  return { ratio: pair.ratio, bounds: pair.joint, ofMedians: pair.ofMedians };
}

function roundsOfAll(starts: readonly (readonly TimedRounds[])[], timed: Timed): Rounds[] {
  return starts.map((start) => roundsOf(start, timed));
}

/** Returns the logarithm for each target by round. NaN for excluded rounds, `Infinity` if the figure never came. */
function roundsOf(start: readonly TimedRounds[], timed: Timed): Rounds {
  const rounds = start[0]?.[timed].length ?? 0;
  const excluded = start.map((target) => new Set(target.excluded));
  const overlapping = overlappingIn(start);
  return Array.from({ length: rounds }, (_, round) =>
    start.map((target, place) => {
      if (overlapping.has(round) || excluded[place]?.has(round)) return Number.NaN;
      const us = target[timed][round] ?? null;
      return us === null ? Number.POSITIVE_INFINITY : Math.log(Math.max(1, us));
    }),
  );
}

/** Returns the rounds of a start in which a broadcast was still under way when the next slot began. */
export function overlappingIn(start: readonly Pick<TimedRounds, 'overlapping'>[]): ReadonlySet<number> {
  return new Set(start.flatMap(({ overlapping }) => overlapping));
}

/** An error of one in twenty, for all pairs and all interim tests together. */
export const wholeError = 0.05;
/** The error grows with this power of the share of planned starts, so early tests get little (Kim, DeMets 1987). */
const spendingPower = 3;

export interface InterimTest {
  starts: number;
  planned: number;
  /** Set if no further start follows, whatever the result. The test then has all the error that is left. */
  isLast: boolean;
}

/**
 * Returns the two-sided error of one statement at this interim test. All `statements` together may be wrong in one of
 * twenty comparisons. Each test uses all starts before it again, so the tests add little error to each other (Lan and
 * DeMets 1983). The sum of all starts is a walk with normal steps.
 */
export function errorAt(look: InterimTest, statements = 1): number {
  const key = `${look.starts} of ${look.planned} ${look.isLast} ${statements}`;
  const error = known.get(key) ?? findError(look, statements);
  known.set(key, error);
  return error;
}

const known = new Map<string, number>();

function findError({ starts, planned, isLast }: InterimTest, statements: number): number {
  if (starts < minStarts) return 0;
  const spent = (made: number): number => (wholeError / statements) * (made / planned) ** spendingPower;
  let walk = firstWalk(minStarts);
  for (let made = minStarts; ; made++) {
    const isHere = made === starts;
    const before = made === minStarts ? 0 : spent(made - 1);
    const share = (isHere && isLast ? wholeError / statements : spent(made)) - before;
    const wall = bisect((at) => beyond(walk, at) - share, 0, widest * Math.sqrt(made), 100, 1e-9);
    if (isHere) return 2 * tail(wall / Math.sqrt(made));
    walk = nextWalk(walk, wall);
  }
}

/** Beyond so many standard deviations no probability is left to distribute. */
const widest = 8;
const places = 161;

type Walk = readonly (readonly [place: number, probability: number])[];

/** Returns all walks before the first interim test, without their last step. */
function firstWalk(steps: number): Walk {
  const spread = Math.sqrt(steps - 1);
  return gridOf(widest * spread).map((at, _, { length }) => {
    const width = (2 * widest * spread) / (length - 1);
    return [at, (density(at / spread) / spread) * width];
  });
}

function nextWalk(walk: Walk, wall: number): Walk {
  const grid = gridOf(wall);
  const width = (2 * wall) / (grid.length - 1);
  return grid.map((at, place) => {
    const weight = place === 0 || place === grid.length - 1 ? width / 2 : width;
    return [at, weight * walk.reduce((sum, [from, probability]) => sum + probability * density(at - from), 0)];
  });
}

/** Returns the share of walks that one more step takes beyond the wall, on either side. */
function beyond(walk: Walk, wall: number): number {
  return walk.reduce((sum, [from, probability]) => sum + probability * (tail(wall - from) + tail(wall + from)), 0);
}

function gridOf(end: number): number[] {
  return Array.from({ length: places }, (_, place) => end * ((2 * place) / (places - 1) - 1));
}

function density(at: number): number {
  return Math.exp(-(at ** 2) / 2) / Math.sqrt(2 * Math.PI);
}

/** P(normal > at). */
function tail(at: number): number {
  return (1 - errorFunction(at / Math.SQRT2)) / 2;
}
