import type { Declaration } from '../../measure/declaration.js';
import type { Comparison } from '../../results/comparison.js';
import type { RunResult } from '../../results/result.js';
import type { Curve } from './charts/curve.js';

/** A kept run on the page: what it is called there, and its distributions by metric. */
export interface ReportRun {
  label: string;
  /** Where it is kept. */
  directory: string;
  result: RunResult;
  curves: Readonly<Record<string, Curve>>;
}

/** What a page is made of. */
export interface Report {
  scenario: Declaration;
  /** In the order of the page; at least one. */
  runs: readonly ReportRun[];
  /** How the shapes of the runs differ, where they were put together by force; empty otherwise. */
  difference: string;
  /** What a reader must know of how the runs were chosen; empty where all that were given are there. */
  chosen: string;
  /** Of a comparison: what all its runs say together. */
  scoreboard?: Comparison | undefined;
  assets: Assets;
}

/** Text of the files that a page carries inside it. */
export interface Assets {
  uplotScript: string;
  uplotStyle: string;
  drawScript: string;
}
