import type { Scenario } from '../../contract/catalog.js';
import type { Comparison } from '../../contract/comparison.js';
import type { SuiteResult } from '../../contract/suite.js';

/** A kept suite with the scoreboards of its entries, in their order. */
export interface SuiteBook {
  suite: SuiteResult;
  boards: readonly { name: string; comparison: Comparison; scenario: Scenario }[];
}
