import type { Declaration } from '../../measure/declaration.js';
import type { Comparison } from '../../results/comparison.js';
import type { RunResult } from '../../results/result.js';
import type { Curve } from './charts/curve.js';

export interface ReportRun {
  label: string;
  directory: string;
  result: RunResult;
  curves: Readonly<Record<string, Curve>>;
}

export interface Report {
  scenario: Declaration;
  /** In the order of the page; at least one. */
  runs: readonly ReportRun[];
  /** How the shapes of the runs differ; empty if they do not. */
  difference: string;
  /** How the runs were chosen; empty if all are shown. */
  chosen: string;
  scoreboard?: Comparison | undefined;
  /** How documents disagree with the rounds or blocks that were kept with them; left out or empty if they do not. */
  disagreeing?: string;
  assets: Assets;
}

export interface Assets {
  uplotScript: string;
  uplotStyle: string;
  drawScript: string;
}
