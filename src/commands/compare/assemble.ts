import { ProblemError, problem } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { firstDifference } from '../../results/fingerprint.js';
import { type RunResult, resultVersion } from '../../results/result.js';
import type { Scenario } from '../../run/catalog.js';
import { significance } from '../diff/significance.js';

export interface KeptRun {
  directory: string;
  result: RunResult;
}

/** The first difference in shape between the first run and another, with both directories; undefined if none. */
export function shapeDifference(runs: readonly KeptRun[]): string | undefined {
  const [first, ...others] = runs;
  for (const { directory, result } of others) {
    const difference = firstDifference(first?.result.shape, result.shape);
    if (difference !== undefined) return `${difference} (${first?.directory} and ${directory})`;
  }
  return undefined;
}

/** The same, or an empty text. Throws `ProblemError` for a difference that is not forced. */
export function forcedDifference(runs: readonly KeptRun[], isForced: boolean): string {
  const difference = shapeDifference(runs);
  if (difference !== undefined && !isForced) throw new ProblemError([problem('shapesDiffer', difference)]);
  return difference ?? '';
}

/** One scoreboard of kept runs, a row per target; `forced` says how their shapes differ, if they do. */
export function assemble(scenario: Scenario, runs: readonly KeptRun[], forced: string): Comparison {
  const names = [...new Set(runs.map(({ result }) => result.target.name))];
  const rows = names.map((target): ComparisonRow => {
    const own = runs.filter(({ result }) => result.target.name === target);
    return { target, state: 'ran', why: '', runs: own, figures: [] };
  });
  return comparisonOf(scenario, rows, false, {
    fingerprint: runs[0]?.result.fingerprint ?? '',
    forced,
    repeat: Math.max(...rows.map((row) => row.runs.length)),
    startedAt: runs.map(({ result }) => result.startedAt).sort()[0] ?? '',
  });
}

/** The comparison of these rows, with the figures of each and the significance of each pair (`significance.ts`). */
export function comparisonOf(
  scenario: Scenario,
  rows: readonly ComparisonRow[],
  isInRounds: boolean,
  facts: Pick<Comparison, 'fingerprint' | 'forced' | 'repeat' | 'startedAt'>,
): Comparison {
  const contenders = rows.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) }));
  const { figures, pairs } = significance(scenario, contenders, isInRounds);
  const withFigures = rows.map((row, index) => ({ ...row, figures: figures[index] ?? [] }));
  const of = { schema: resultVersion, tool: thisTool, scenario: scenario.name } as const;
  return { ...of, ...facts, rows: withFigures, pairs, proof: null };
}
