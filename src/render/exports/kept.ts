import type { Declaration } from '../../measure/declaration.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import type { RunResult } from '../../results/result.js';

/** What is kept of a run, or of several that are held against each other. */
export type Kept = RunResult | Comparison;

/** Whether it is several runs. */
export function isComparison(kept: Kept): kept is Comparison {
  return 'rows' in kept;
}

/** Its runs by row; a single run is one row. */
export function rowsOf(kept: Kept): readonly Pick<ComparisonRow, 'target' | 'state' | 'why' | 'runs'>[] {
  if (isComparison(kept)) return kept.rows;
  return [{ target: kept.target.name, state: 'ran', why: '', runs: [{ directory: '', result: kept }] }];
}

/** What is kept, and the scenario that it is of. */
export interface Judged {
  kept: Kept;
  scenario: Declaration;
}
