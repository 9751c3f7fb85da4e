import { z } from 'zod';
import { outsideSentence } from '../../contract/problems.js';
import { countUnitOf } from '../../measure/ledger.js';
import { type Comparison, comparison } from '../../results/comparison.js';
import type { SuiteChange, SuiteResult } from '../../results/suite.js';
import type { Scenario } from '../../scenarios/scenario.js';

/** File in the directory of an entry: its baseline, or why it has none. */
export const baselineFile = 'baseline.json';

/** Returns true for a change of a count. Times, rates and memory of another night also depend on its machine. */
export function isCounted({ kind, name }: Pick<SuiteChange, 'kind' | 'name'>): boolean {
  return kind === 'share' || kind === 'threshold' || (kind === 'count' && countUnitOf(name) === 'count');
}

/** Returns true if a change fails a suite. */
export function isRegression(change: SuiteChange): boolean {
  return change.relation === 'worse' && isCounted(change);
}

/** Holds a suite with the scoreboards of its entries, in their order. */
export interface SuiteBook {
  suite: SuiteResult;
  boards: readonly { name: string; comparison: Comparison; scenario: Scenario }[];
}

/** Returns true if at worst some runs of a suite are limited: no broken threshold, no void run. */
export function isLimitedAtMost({ exit, entries }: SuiteResult): boolean {
  const isVoid = entries.some(({ rows }) => rows.some(({ verdicts }) => verdicts.void > 0));
  return exit === 'clean' || (exit === 'rig' && !isVoid);
}

/** Holds the baseline of an entry, or the reason why it has none. */
export const heldBaseline = z.union([
  z.strictObject({ comparison, directory: z.string() }),
  z.strictObject({ notHeld: outsideSentence }),
]);

export type HeldBaseline = z.output<typeof heldBaseline>;
