import { z } from 'zod';
import { outsideSentence } from '../contract/problems.js';
import { answers } from '../measure/statement.js';
import { ratioSigns } from '../measure/threshold.js';
import { experimentHead } from './journal.js';
import { paired } from './paired.js';
import { reproduction } from './published.js';
import { interval, type RunResult, runResult } from './result.js';

/** Describes a limit for the ratio of two targets, and the result of the comparison for it. */
export const ratioThreshold = z.strictObject({
  text: z.string(),
  a: z.string(),
  b: z.string(),
  /** `METRIC.FIGURE`, where `last` is the last subscriber of each broadcast, or a count of the ledger. */
  of: z.string(),
  comparison: z.enum(ratioSigns),
  bound: z.number().positive(),
  /** Ratio of `a` to `b`. Null if it is unknown, or `b` has none. */
  ratio: z.number().nullable(),
  /** For a latency: the ratio of the medians over all rounds. A verdict must hold for it, too. */
  ofMedians: z.number().nullable(),
  /** For a count: the totals of `a` and `b` over all runs. Null for latencies, and if runs can't be compared. */
  totals: z.tuple([z.number(), z.number()]).nullable(),
  /** The truth lies above the first with 95 %, and below the second with 95 %. Null for counts. */
  bounds: interval.nullable(),
  /** Bounds without the time that the rig may have added. Null if that is unknown. */
  boundsAtLeast: interval.nullable(),
  holds: z.enum(answers),
});

export type JudgedRatio = z.output<typeof ratioThreshold>;

export const headlineFigure = z.strictObject({
  column: z.string(),
  /** Median of valid runs: the lower of two middle values. */
  median: z.number(),
  least: z.number(),
  most: z.number(),
  /** From the spread between runs and broadcasts. Null if unknown. */
  interval: interval.nullable(),
});

export type HeadlineFigure = z.output<typeof headlineFigure>;

/** Describes a target’s row of a scoreboard. A target that cannot run here keeps its row. */
export const comparisonRow = z.strictObject({
  target: z.string(),
  state: z.enum(['ran', 'notAvailable', 'failed']),
  why: outsideSentence,
  runs: z.array(z.strictObject({ directory: z.string(), result: runResult })),
  figures: z.array(headlineFigure),
});

export type ComparisonRow = z.output<typeof comparisonRow>;

/** Describes a run and the directory that keeps it. */
export type KeptRun = ComparisonRow['runs'][number];

export const pair = z.strictObject({
  column: z.string(),
  a: z.string(),
  b: z.string(),
  /** Median of `a` over that of `b`. */
  ratio: z.number(),
  interval,
  isBeyondNoise: z.boolean(),
});

export type Pair = z.output<typeof pair>;

/** Describes the same load with more workers and shards. Figures that change were limited by the rig. */
export const proof = z.strictObject({
  variants: z.array(
    z.strictObject({
      label: z.string(),
      target: z.string(),
      workersPerShard: z.number().int(),
      shards: z.number().int(),
      isBase: z.boolean(),
    }),
  ),
  notTried: z.array(z.string()),
  /** Each variant against its base, by column. All intervals hold together with 95 %. */
  against: z.array(pair),
});

export type Proof = z.output<typeof proof>;

/** Describes a comparison: several targets under one shape, with interleaved repeats. */
export const comparison = z.strictObject({
  ...experimentHead.shape,
  kind: z.literal('comparison'),
  scenario: z.string(),
  fingerprint: z.string(),
  /** Differences of the shapes, with `--force`. Empty otherwise. */
  forced: outsideSentence,
  /** What differs between the two sides of each target; left out where the targets themselves are compared. */
  axis: z.enum(['compression']).optional(),
  repeat: z.number().int().min(1),
  rows: z.array(comparisonRow),
  proof: proof.nullable(),
  paired: paired.optional(),
  ratioThresholds: z.array(ratioThreshold).optional(),
  /** Every pair with enough runs on both sides, by column. */
  pairs: z.array(pair),
  published: reproduction.optional(),
});

export type Comparison = z.output<typeof comparison>;

export type RunOrComparison = RunResult | Comparison;

export function isComparison(found: RunOrComparison): found is Comparison {
  return 'rows' in found;
}

/** Returns the runs by row. A single run is one row. */
export function comparisonRows(
  found: RunOrComparison,
): readonly Pick<ComparisonRow, 'target' | 'state' | 'why' | 'runs'>[] {
  if (isComparison(found)) return found.rows;
  return [{ target: found.target.name, state: 'ran', why: '', runs: [{ directory: '', result: found }] }];
}
