import { recomputed } from '../../experiment/paired/pairs.js';
import { type Comparison, isComparison, type RunOrComparison } from '../../results/comparison.js';
import { disagreement, recomputedRun } from '../../results/recompute.js';
import type { RunResult } from '../../results/result.js';
import { readBlocks } from '../../results/store.js';

/** What was kept, with figures computed again. */
export interface Again<R> {
  kept: R;
  /** Where the document says otherwise; empty if nowhere. */
  disagreeing: string;
}

/**
 * What was kept in a directory, with the figures that its data gives: intervals of a run from its blocks, pairs of a
 * comparison from its rounds. Throws `ProblemError` where the blocks of a run are missing or damaged.
 */
export function computedAgain(kept: RunResult, directory: string): Promise<Again<RunResult>>;
export function computedAgain(kept: Comparison, directory: string): Promise<Again<Comparison>>;
export async function computedAgain(kept: RunOrComparison, directory: string): Promise<Again<RunOrComparison>> {
  if (isComparison(kept)) {
    const { comparison, differing } = recomputed(kept);
    return { kept: comparison, disagreeing: disagreement(differing, 'rounds') };
  }
  const { run, differing } = recomputedRun(kept, await readBlocks(directory, kept));
  return { kept: run, disagreeing: disagreement(differing, 'blocks') };
}
