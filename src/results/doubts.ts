import type { HeadlineColumn } from '../measure/declaration.js';
import type { ThresholdFigure } from '../measure/threshold.js';
import type { RunResult, Verdict } from './result.js';

export type Doubt = NonNullable<Verdict['doubts']>[number];

/** What the rig may have written a part of: that figure of that metric, or all of it. */
export function isAbout(doubt: Doubt, metric: string, figure: ThresholdFigure): boolean {
  return doubt.metric === metric && (doubt.figure ?? figure) === figure;
}

/** Whether a run that counts says of a figure that the rig may have written a part of it: the target's is that or less. Void runs give no figure. */
export function isDoubted(column: HeadlineColumn, runs: readonly Pick<RunResult, 'verdict'>[]): boolean {
  if (column.kind !== 'figure') return false;
  const { metric, figure } = column;
  return runs.some(
    ({ verdict: { rig, doubts = [] } }) => rig !== 'void' && doubts.some((each) => isAbout(each, metric, figure)),
  );
}
