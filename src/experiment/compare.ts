import { type ExitName, worstOfRuns } from '../contract/exit-codes.js';
import { ProblemError, problem } from '../contract/problems.js';
import { thisTool } from '../contract/version.js';
import { slotOrder } from '../measure/paired/order.js';
import type { RatioThreshold } from '../measure/paired/ratio-threshold.js';
import { type Comparison, type ComparisonRow, comparisonFile, type KeptRun } from '../results/comparison.js';
import { fingerprint, firstDifference } from '../results/fingerprint.js';
import { resultVersion } from '../results/result.js';
import { ResultStore, resultDirectory } from '../results/store.js';
import type { Scenario } from '../run/catalog.js';
import { exitOf } from '../run/judge/assess.js';
import { shapeOf } from '../run/plan/plan.js';
import type { RunContext } from '../run/run.js';
import { type Cell, type ExperimentContext, rowsOfCells, runCells } from './cells.js';
import { withRatios } from './ratios.js';
import { significance } from './significance.js';

/**
 * Runs every cell `repeat` times in rounds, so that drifting noise falls on all alike. The order within rounds is
 * seeded and balanced: no cell always follows the same one.
 */
export async function compare(
  cells: readonly Cell[],
  repeat: number,
  context: ExperimentContext,
  ratios: readonly RatioThreshold[] = [],
): Promise<{ comparison: Comparison; directory: string }> {
  const [first] = cells;
  if (!first) throw new Error('a comparison needs a plan');
  const { scenario, fleet } = first.plan;
  const startedAt = new Date().toISOString();
  const name = `${cells.length}x${repeat}`;
  const directory = resultDirectory(fleet.resultsDir, startedAt, scenario.name, 'compare', name);
  const rows = await rowsOfCells(cells);
  await runCells(rows, cells, { order: slotOrder(fleet.seed, cells.length, repeat), directory }, context);
  const facts = { fingerprint: fingerprint(shapeOf(first.plan)), forced: '', repeat, startedAt };
  const comparison = withRatios(comparisonOf(scenario, rows, true, facts), ratios, scenario);
  await keepComparison(directory, comparison, context);
  return { comparison, directory };
}

/** The exit of a comparison: the worst of its runs and rows; without any run, `input`. */
export function comparisonExit({ rows }: Pick<Comparison, 'rows'>, scenario: Scenario, isStrict: boolean): ExitName {
  const ends = rows.flatMap(({ state, runs }): ExitName[] => [
    ...runs.map(({ result }) => exitOf(result, scenario, isStrict)),
    ...(state === 'failed' ? (['input'] as const) : []),
  ]);
  return ends.length === 0 ? 'input' : worstOfRuns(ends);
}

/** Writes the comparison beside its runs. */
export async function keepComparison(
  directory: string,
  comparison: Comparison,
  { notKept }: Pick<RunContext, 'notKept'>,
): Promise<void> {
  await new ResultStore(notKept).keep(directory, { [comparisonFile]: comparison });
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
