import type { Comparison } from '../../../results/comparison.js';
import type { Scenario } from '../../../run/catalog.js';
import type { SuiteResult } from '../book.js';

/** A kept suite with the scoreboards of its entries, in their order. */
export interface SuiteBook {
  suite: SuiteResult;
  boards: readonly { name: string; comparison: Comparison; scenario: Scenario }[];
}
