import type { Declaration } from '../../measure/declaration.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { RunOrComparison } from '../../results/comparison.js';

export interface JudgedSource<R extends RunOrComparison = RunOrComparison> {
  kept: R;
  scenario: Declaration;
}

/** What an export reads: a result, and the samples of some metrics. */
export interface Source<R extends RunOrComparison> extends JudgedSource<R> {
  /** In the order of the export; one metric is in memory at a time. */
  metrics: readonly string[];
  samples(metric: string): Promise<Samples>;
  /** How many of them are independent; undefined where all are. */
  independent(metric: string): number | undefined;
  /** How many samples beside them never came. */
  unfinished(metric: string): number;
}

/** What an export of samples reads. */
export type OneByOne = Pick<Source<RunOrComparison>, 'metrics' | 'samples' | 'independent' | 'unfinished'>;
