import type { Declaration } from '../../measure/declaration.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { headlineValue } from '../../results/headline.js';
import type { RunResult } from '../../results/result.js';

/** A run that a page is to show. */
export interface Chosen {
  label: string;
  directory: string;
  result: RunResult;
}

/** The runs of a comparison for a page: every one, or of each row the one in the middle by the first figure of the headline; and how, in words. */
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
  return {
    runs,
    how: `Of each target the run in the middle by ${title}, of ${rows.flatMap((row) => (row.runs.length > 0 ? `${row.runs.length} of ${row.target} (${verdictsInWords(row)})` : [])).join(', ')}; void runs only where there is no other.${missing}`,
  };
}

/** The verdicts of a row: `2 clean, 1 limited`. */
export function verdictsInWords({ runs }: ComparisonRow): string {
  return (['clean', 'limited', 'void'] as const)
    .flatMap((rig) => {
      const number = runs.filter(({ result }) => result.verdict.rig === rig).length;
      return number > 0 ? `${number} ${rig}` : [];
    })
    .join(', ');
}

/** The lower one of the two in the middle of an even number, so that it is a run that was. */
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

/** Labels that tell runs apart: of those that share one, each gets its number. */
export function labelled<T extends { label: string }>(runs: readonly T[]): T[] {
  const seen = new Map<string, number>();
  return runs.map((run) => {
    const number = (seen.get(run.label) ?? 0) + 1;
    seen.set(run.label, number);
    const isShared = runs.filter(({ label }) => label === run.label).length > 1;
    return isShared ? { ...run, label: `${run.label} #${number}` } : run;
  });
}
