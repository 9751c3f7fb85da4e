import { mean, median } from 'simple-statistics';
import { estimate, intervalAt } from '../stats/estimate.js';
import type { Rounds } from './starts.js';

/** Holds the effect of a target's slot on the next slot: the time of targets right after it, over their usual time. */
export interface AfterEffect {
  /** Place of the target with the slot before. */
  after: number;
  ratio: number;
  /** Interval that holds for all targets at once. */
  interval: [low: number, high: number];
}

/**
 * Returns, by target, the effect of its slots on those that follow. `order` is the order of the targets in each round.
 * It is balanced, so ratios between targets hold in spite of the effect. Empty with fewer than three starts.
 */
export function afterEffects(
  starts: readonly { rounds: Rounds; order: readonly (readonly number[])[] }[],
): AfterEffect[] {
  const targets = starts[0]?.order[0]?.length ?? 0;
  return Array.from({ length: targets }, (_, after) => after).flatMap((after) => {
    const ratios = starts.flatMap((start) => {
      const found = residualsAfter(start.rounds, start.order, after);
      return found.length === 0 ? [] : Math.exp(mean(found));
    });
    const over = estimate(ratios, []);
    return over ? { after, ratio: Math.exp(over.centre), interval: intervalAt(1 - 0.05 / targets, over) } : [];
  });
}

/** Returns the residuals without the target's usual time in this start and the round's effect on all targets. */
function residualsAfter(rounds: Rounds, order: readonly (readonly number[])[], after: number): number[] {
  const targets = rounds[0]?.length ?? 0;
  const usual = Array.from({ length: targets }, (_, target) => {
    const known = rounds.map((round) => round[target]!).filter((each) => !Number.isNaN(each));
    return known.length === 0 ? Number.NaN : median(known);
  });
  return rounds.flatMap((round, index) => {
    const beyond = round.map((each, target) => each - usual[target]!);
    const known = beyond.filter((each) => !Number.isNaN(each));
    const next = order[index]?.[order[index].indexOf(after) + 1];
    const found = next === undefined || known.length < 2 ? Number.NaN : beyond[next]! - median(known);
    return Number.isNaN(found) ? [] : found;
  });
}
