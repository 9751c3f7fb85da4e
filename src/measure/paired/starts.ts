import { mean } from 'simple-statistics';
import { studentReach } from '../stats/student.js';
import { pseudoMedian } from './location.js';

/**
 * The rounds of one start of all processes: for each round, by target, the natural logarithm of what its broadcast
 * took; NaN for a slot that is excluded.
 */
export type Rounds = readonly (readonly number[])[];

/** What several starts say of each target, relative to the others, on the scale of logarithms. */
export interface StartsEstimate {
  /** By start, by target: its location within the rounds of that start. */
  effects: number[][];
  /** Variance of one target's effect in one start: chance of its rounds, and what differs between its processes. */
  variance: number;
  freedom: number;
}

/** Fewer starts leave the variance between them to chance. */
export const minStarts = 3;

/**
 * Fits each target's effect in each start and the variance between starts: the residual of a two-way table of starts
 * and targets with (S − 1)(T − 1) degrees of freedom. What a start does to all targets cancels. Undefined for fewer
 * than `minStarts` starts, or where a target has no round in one of them.
 */
export function fitStarts(starts: readonly Rounds[]): StartsEstimate | undefined {
  const effects = starts.map(effectsOf);
  const targets = effects[0]?.length ?? 0;
  if (effects.length < minStarts || targets < 2 || effects.flat().some(Number.isNaN)) return undefined;
  const ofTarget = Array.from({ length: targets }, (_, target) => mean(effects.map((each) => each[target]!)));
  const grand = mean(ofTarget);
  let squares = 0;
  for (const each of effects) {
    const ofStart = mean(each);
    each.forEach((effect, target) => {
      squares += (effect - ofStart - ofTarget[target]! + grand) ** 2;
    });
  }
  const freedom = (effects.length - 1) * (targets - 1);
  return { effects, variance: squares / freedom, freedom };
}

/** The ratio of target `a` to target `b` over starts, as logarithm, with the interval of that level. */
export function ratioOverStarts(
  { effects, variance, freedom }: StartsEstimate,
  a: number,
  b: number,
  level: number,
): { centre: number; low: number; high: number } {
  const centre = mean(effects.map((each) => each[a]! - each[b]!));
  const reach = studentReach(level, freedom) * Math.sqrt((2 * variance) / effects.length);
  return { centre, low: centre - reach, high: centre + reach };
}

/**
 * By target, how far it lies from the mean of all in one start: the mean of its distances to each other target. A
 * distance is taken within each round, so what a round does to all of its slots cancels, and a stall moves it no more
 * than a median.
 */
function effectsOf(rounds: Rounds): number[] {
  const targets = rounds[0]?.length ?? 0;
  const effects = new Array<number>(targets).fill(0);
  for (let a = 0; a < targets; a++)
    for (let b = a + 1; b < targets; b++) {
      const distance = pseudoMedian(distances(rounds, a, b)) / targets;
      effects[a]! += distance;
      effects[b]! -= distance;
    }
  return effects;
}

/** The logarithm of `a` over `b` in each round that has both. */
export function distances(rounds: Rounds, a: number, b: number): number[] {
  return rounds.map((round) => round[a]! - round[b]!).filter((distance) => !Number.isNaN(distance));
}
