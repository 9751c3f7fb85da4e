import type { Declaration } from '../../measure/declaration.js';
import type { Comparison } from '../../results/comparison.js';
import { isBest, whyNothingIsBest } from '../best.js';
import { atMostInWords, isDoubtedCell } from './doubts.js';

/** What a scoreboard does not say of itself, in lines. `bestMark` is what stands where a figure is the best. */
export function legends(comparison: Comparison, scenario: Declaration, bestMark: string): string[] {
  const has = (what: (column: Declaration['headline'][number], row: Comparison['rows'][number]) => boolean): boolean =>
    comparison.rows.some((row) => scenario.headline.some((column) => what(column, row)));
  return [
    ...(has((column, { target }) => isBest(column, target, comparison, scenario))
      ? [`${bestMark} better than every other by more than the noise`]
      : []),
    ...whyNothingIsBest(comparison),
    ...(has(isDoubtedCell) ? [atMostInWords] : []),
    ...(hasSpread(comparison) ? [figureLegend(comparison)] : []),
  ];
}

function figureLegend({ rows }: Comparison): string {
  return rows.every(({ runs }) => runs.length <= 1)
    ? 'each figure: its one run [95 % interval over its broadcasts]'
    : 'each figure: median of the runs [95 % interval over runs and their broadcasts], or (smallest to largest)';
}

function hasSpread({ rows }: Comparison): boolean {
  return rows.some(({ figures }) => figures.some(({ least, most, interval }) => interval !== null || least !== most));
}
