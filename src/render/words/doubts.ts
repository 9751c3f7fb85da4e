import type { Declaration, HeadlineColumn } from '../../measure/declaration.js';
import type { ThresholdFigure } from '../../measure/threshold.js';
import type { ComparisonRow } from '../../results/comparison.js';
import { type Doubt, isAbout, isDoubted } from '../../results/doubts.js';
import type { RunResult, Verdict } from '../../results/result.js';

/** Stands before a figure that the rig may have written a part of: the target's is that or less. */
export const atMost = '≤';

/** What the mark means, for legends. */
export const atMostInWords = `${atMost} : the rig or its network may have written a part of it`;

/** What the rig may have written, in sentences: figures of one cause are told once. */
export function doubtTexts({ doubts = [] }: Verdict): string[] {
  return [...new Set(doubts.map(({ text }) => text))];
}

/** The mark of such a figure, nothing before any other. */
export function doubtMark({ doubts = [] }: Verdict, metric: string, figure: ThresholdFigure): string {
  return doubts.some((each) => isAbout(each, metric, figure)) ? atMost : '';
}

/** Whether the rig may have written a part of what a row of a comparison has in that column. */
export function isDoubtedCell(column: HeadlineColumn, { runs }: Pick<ComparisonRow, 'runs'>): boolean {
  return isDoubted(
    column,
    runs.map(({ result }) => result),
  );
}

/** The doubts about the figures that a scenario is judged by. */
export function headlineDoubts({ verdict: { doubts = [] } }: RunResult, { headline }: Declaration): Doubt[] {
  return doubts.filter((each) =>
    headline.some((column) => column.kind === 'figure' && isAbout(each, column.metric, column.figure)),
  );
}
