/** Programs may import these as `ringside-bench/results`: the schemas of `result.json` and `comparison.json`. */
export { type Comparison, type ComparisonRow, comparison } from './comparison.js';
export { type RunResult, runResult } from './result.js';
