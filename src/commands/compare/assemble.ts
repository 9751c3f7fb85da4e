import { thisTool } from '../../contract/version.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { firstDifference } from '../../results/fingerprint.js';
import { type RunResult, resultVersion } from '../../results/result.js';
import type { Scenario } from '../../run/catalog.js';
import { significance } from '../diff/significance.js';

/** A run as it was kept. */
export interface KeptRun {
  directory: string;
  result: RunResult;
}

/** The first difference in shape between the first run and any other, with the directory of the other; undefined where all are of one shape. */
export function shapeDifference(runs: readonly KeptRun[]): string | undefined {
  const [first, ...others] = runs;
  for (const { directory, result } of others) {
    const difference = firstDifference(first?.result.shape, result.shape);
    if (difference !== undefined) return `${difference} (${first?.directory} and ${directory})`;
  }
  return undefined;
}

/** One scoreboard out of runs that were kept: a row for each target, its runs as repeats. `forced` says how their shapes differ, where they do. */
export function assemble(scenario: Scenario, runs: readonly KeptRun[], forced: string): Comparison {
  const names = [...new Set(runs.map(({ result }) => result.target.name))];
  const rows = names.map((target): ComparisonRow => {
    const own = runs.filter(({ result }) => result.target.name === target);
    return { target, state: 'ran', why: '', runs: own, figures: [] };
  });
  const contenders = rows.map(({ target, runs: own }) => ({ target, runs: own.map(({ result }) => result) }));
  const { figures, pairs } = significance(scenario, contenders);
  return {
    schema: resultVersion,
    tool: thisTool,
    scenario: scenario.name,
    fingerprint: runs[0]?.result.fingerprint ?? '',
    forced,
    repeat: Math.max(...rows.map((row) => row.runs.length)),
    startedAt: runs.map(({ result }) => result.startedAt).sort()[0] ?? '',
    rows: rows.map((row, index) => ({ ...row, figures: figures[index] ?? [] })),
    pairs,
    proof: null,
  };
}
