import type { Scenario } from '../contract/catalog.js';
import type { RunResult, Verdict } from '../contract/result.js';
import type { ThresholdFigure } from '../measure/threshold.js';

type Doubts = NonNullable<Verdict['doubts']>;

/** Stands before a figure that the rig may have written a part of: the target's is that or less. */
export const atMost = '≤';

/** What the mark means, for legends. */
export const atMostInWords = `${atMost} : the rig may have written a part of it`;

/** The mark of such a figure, nothing before any other. */
export function doubtMark({ doubts = [] }: Verdict, metric: string, figure: ThresholdFigure): string {
  return doubts.some((each) => isAbout(each, metric, figure)) ? atMost : '';
}

/** The doubts about the figures that a scenario is judged by. */
export function headlineDoubts({ verdict: { doubts = [] } }: RunResult, { headline }: Scenario): Doubts {
  return doubts.filter((each) =>
    headline.some((column) => column.kind === 'figure' && isAbout(each, column.metric, column.figure)),
  );
}

function isAbout(doubt: Doubts[number], metric: string, figure: ThresholdFigure): boolean {
  return doubt.metric === metric && (doubt.figure ?? figure) === figure;
}
