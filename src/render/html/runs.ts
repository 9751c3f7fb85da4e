import type { Declaration } from '../../measure/declaration.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { headlineValue } from '../../results/figures.js';
import type { RunResult } from '../../results/result.js';
import { bySaid } from '../words/verdict-words.js';
import type { Curve } from './charts/chart.js';

export interface ReportRun {
  label: string;
  directory: string;
  result: RunResult;
  curves: Readonly<Record<string, Curve>>;
}

export interface Report {
  scenario: Declaration;
  /** In the order of the page, at least one. */
  runs: readonly ReportRun[];
  /** Describes the differences between the shapes of the runs. Empty if there are none. */
  difference: string;
  /** Describes the choice of the runs. Empty if all are shown. */
  chosen: string;
  scoreboard?: Comparison | undefined;
  assets: Assets;
}

export interface Assets {
  uplotScript: string;
  uplotStyle: string;
  drawScript: string;
}

export type Chosen = Omit<ReportRun, 'curves'>;

/** Chooses the runs of a comparison for a page: all, or the median run of each row. It also describes the choice. */
export function chooseRuns(
  { rows }: Comparison,
  scenario: Declaration,
  isEvery: boolean,
): { runs: Chosen[]; how: string } {
  if (isEvery) {
    return { runs: rows.flatMap(({ target, runs }) => runs.map((run) => ({ label: target, ...run }))), how: '' };
  }
  const [column] = scenario.headline;
  const title = column?.title ?? '';
  const runs = rows.flatMap((row) => {
    const run = middle(row, (result) => (column ? headlineValue(column, result) : null));
    return run ? [{ label: row.target, ...run }] : [];
  });
  const without = rows.filter((row) => row.runs.length === 0).map(({ target, why }) => `${target} (${why})`);
  const missing = without.length > 0 ? ` Not run: ${without.join(', ')}.` : '';
  const counts = rows.flatMap((row) =>
    row.runs.length > 0 ? `${row.runs.length} of ${row.target} (${verdictsInWords(row, scenario)})` : [],
  );
  const how = `Each target is shown by its median run by ${title}: ${counts.join(', ')}.${missing}`;
  return { runs, how };
}

/** Formats the verdicts of a row: `2 clean, 1 limited`. */
export function verdictsInWords({ runs: all }: ComparisonRow, scenario: Declaration): string {
  const results = all.map(({ result }) => result);
  return bySaid(results, scenario)
    .map(({ said, runs }) => `${runs.length} ${said}`)
    .join(', ');
}

/** Returns the middle run, the lower of two. It returns a void run only if there is no other. */
function middle(
  { runs }: ComparisonRow,
  figureOf: (result: RunResult) => number | null,
): ComparisonRow['runs'][number] | undefined {
  const sound = runs.filter(({ result }) => result.verdict.rig !== 'void');
  const sorted = (sound.length > 0 ? sound : runs).toSorted(
    (a, b) => (figureOf(a.result) ?? Number.POSITIVE_INFINITY) - (figureOf(b.result) ?? Number.POSITIVE_INFINITY),
  );
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

export function labelled<T extends { label: string }>(runs: readonly T[]): T[] {
  const seen = new Map<string, number>();
  return runs.map((run) => {
    const number = (seen.get(run.label) ?? 0) + 1;
    seen.set(run.label, number);
    const isShared = runs.filter(({ label }) => label === run.label).length > 1;
    return isShared ? { ...run, label: `${run.label} #${number}` } : run;
  });
}
