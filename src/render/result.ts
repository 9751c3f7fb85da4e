import type { Declaration } from '../measure/declaration.js';
import { isComparison, type RunOrComparison } from '../results/comparison.js';
import { comparisonDocument } from './comparison.js';
import type { Document } from './document/document.js';
import { runDocument } from './run.js';

/** Returns the document of a run or a comparison. */
export function resultDocument(kept: RunOrComparison, scenario: Declaration): Document {
  return isComparison(kept) ? comparisonDocument(kept, scenario) : runDocument(kept, scenario);
}
