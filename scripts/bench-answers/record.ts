import { median } from 'simple-statistics';
import type { Truth } from './tally.js';

/** The median of a round over all that were owed, by nearest rank; infinite if it is among those that never came. */
export function owedMedian(cameUs: readonly number[], owed: number): number {
  return [...cameUs].sort((a, b) => a - b)[Math.ceil(owed / 2) - 1] ?? Number.POSITIVE_INFINITY;
}

/** The median of all rounds of all starts; NaN without any. */
export function usualUs(starts: readonly (readonly number[])[]): number {
  const rounds = starts.flat();
  return rounds.length === 0 ? Number.NaN : median(rounds);
}

/**
 * The true ratio of two targets by what they did. What the way to them and back takes lies in both of their figures,
 * and draws the ratio towards 1: up to `wayUs` each.
 */
export function ratioByRecord(aUs: number, bUs: number, wayUs: number): Pick<Truth, 'low' | 'high'> {
  const ends = [aUs / bUs, Number.isFinite(aUs) && Number.isFinite(bUs) ? (aUs + wayUs) / (bUs + wayUs) : aUs / bUs];
  return { low: Math.min(...ends), high: Math.max(...ends) };
}

/** The ratio by single runs of both: any of `a` over any of `b`, and `slack` times more or less by the next runs. */
export function ratioByRuns(a: readonly number[], b: readonly number[], slack: number): Pick<Truth, 'low' | 'high'> {
  return { low: Math.min(...a) / Math.max(...b) / slack, high: (Math.max(...a) / Math.min(...b)) * slack };
}
