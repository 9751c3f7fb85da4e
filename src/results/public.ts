/** Programs may import these as `ringside-bench/results`: the schemas of `result.json` and `experiment.json`. */
export { type Comparison, type ComparisonRow, comparison } from './comparison.js';
export { type Experiment, experiment } from './experiment.js';
export { type RunResult, runResult } from './result.js';
