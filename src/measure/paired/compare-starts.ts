import { median } from 'simple-statistics';
import { conclude, type PairedRatio } from './conclude.js';
import { errorAt } from './looks.js';
import { fitStarts, type Rounds, ratioOverStarts } from './starts.js';

/** The figures of one target in one start, by round, in microseconds; null where a round has none. */
export interface TimedRounds {
  p50Us: readonly (number | null)[];
  p50AtLeastUs: readonly (number | null)[];
  lastUs: readonly (number | null)[];
  excluded: readonly number[];
}

export type Timed = 'p50Us' | 'p50AtLeastUs' | 'lastUs';

export interface StartsQuestion {
  equalWithin: number;
  startsPlanned: number;
  /** Whether no further start follows, whatever these say. */
  isLast: boolean;
  /** The place of the twin and of the target that it is a twin of; -1 without a twin. */
  twin: number;
  twinOf: number;
  /** What a broadcast counts as that never reached its figure: longer than all that did. */
  lostUs: number;
}

/** What all starts say so far. */
export interface StartsVerdict {
  pairs: PairedRatio[];
  lastPairs: PairedRatio[];
  /** `pairs` with no round left out. */
  rawPairs: PairedRatio[];
  control: PairedRatio | undefined;
}

/** A target that differs from its own twin at 99 % puts the comparison in doubt. */
const controlError = 0.01;

/**
 * Compares all targets by the rounds of all starts, given by start and target. An order or an equality stands only if
 * it also stands without the time that the rig may have added. Undefined if there are too few starts.
 */
export function compareStarts(
  starts: readonly (readonly TimedRounds[])[],
  { equalWithin, startsPlanned, isLast, twin, twinOf, lostUs }: StartsQuestion,
): StartsVerdict | undefined {
  const look = { starts: starts.length, planned: startsPlanned, isLast };
  const error = (statements: number): number => errorAt(look, statements);
  const targets = starts[0]?.length ?? 0;
  const ofTwin = Array.from({ length: targets }, (_, place): [number, number] => [
    Math.min(place, twin),
    Math.max(place, twin),
  ]);
  const of = (timed: Timed, isRaw = false): PairedRatio[] | undefined =>
    conclude(
      starts.map((start) => roundsOf(isRaw ? start.map((each) => ({ ...each, excluded: [] })) : start, timed, lostUs)),
      { error, equalWithin, without: ofTwin },
    );
  const [most, last] = [of('p50Us'), of('lastUs')];
  if (!most || !last) return undefined;
  const control =
    twin < 0
      ? undefined
      : conclude(
          starts.map((start) => roundsOf(start, 'p50Us', lostUs)),
          { error: () => controlError, equalWithin, without: allBut(targets, twinOf, twin) },
        )?.[0];
  const leastUs = Array.from({ length: targets }, (_, place) => usualLeastUs(starts, place, lostUs));
  const pairs = most.map((pair): PairedRatio => {
    const isHeld = holds(pair, leastUs[pair.a]! / leastUs[pair.b]!, Math.log1p(equalWithin));
    return isHeld ? pair : { ...pair, conclusion: 'open' };
  });
  return { pairs, lastPairs: last, rawPairs: of('p50Us', true) ?? [], control };
}

/** The usual lower end of a target over all rounds. Single ones can be next to nothing, so their ratios say little. */
function usualLeastUs(starts: readonly (readonly TimedRounds[])[], place: number, lostUs: number): number {
  return median(starts.flatMap((start) => start[place]!.p50AtLeastUs.map((us) => us ?? lostUs)));
}

/** Whether what is said of a pair is also so without the time that the rig may have added. */
function holds({ conclusion, ratio }: PairedRatio, leastRatio: number, margin: number): boolean {
  if (conclusion === 'open') return true;
  const least = Math.log(leastRatio);
  return conclusion === 'equal' ? Math.abs(least) <= margin : Math.sign(least) === Math.sign(Math.log(ratio));
}

/** A ratio over starts; the truth lies above `low` with 95 %, and below `high` with 95 %. */
export interface OneSidedRatio {
  ratio: number;
  low: number;
  high: number;
}

/** Two ends that each hold with 95 % hold together with 90 %. */
const bothEnds = 0.9;

/** How many times as long the target at place `a` takes as that at `b`. Undefined if there are too few starts. */
export function ratioOfStarts(
  starts: readonly (readonly TimedRounds[])[],
  timed: Timed,
  { a, b, lostUs }: { a: number; b: number; lostUs: number },
): OneSidedRatio | undefined {
  const fit = fitStarts(starts.map((start) => roundsOf(start, timed, lostUs)));
  if (!fit) return undefined;
  const { centre, low, high } = ratioOverStarts(fit, a, b, bothEnds);
  return { ratio: Math.exp(centre), low: Math.exp(low), high: Math.exp(high) };
}

/** By round, the logarithm for each target; NaN for excluded rounds. */
export function roundsOf(start: readonly TimedRounds[], timed: Timed, lostUs: number): Rounds {
  const rounds = start[0]?.[timed].length ?? 0;
  const excluded = start.map((target) => new Set(target.excluded));
  return Array.from({ length: rounds }, (_, round) =>
    start.map((target, place) =>
      excluded[place]?.has(round) ? Number.NaN : Math.log(Math.max(1, target[timed][round] ?? lostUs)),
    ),
  );
}

/** Every pair of places but one. */
function allBut(targets: number, one: number, other: number): [number, number][] {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  return Array.from({ length: targets }, (_, a) => a).flatMap((a) =>
    Array.from({ length: targets - a - 1 }, (_, step): [number, number] => [a, a + 1 + step]).filter(
      ([, b]) => a !== low || b !== high,
    ),
  );
}
