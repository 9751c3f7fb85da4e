import { z } from 'zod';
import { outsideSentence } from '../contract/problems.js';
import { answers } from '../measure/statement.js';
import { ratioSigns } from '../measure/threshold.js';
import { paired } from './paired.js';
import { interval, type RunResult, resultVersion, runResult, tool } from './result.js';

/** A limit for the ratio of two targets, and what the comparison says of it. */
export const ratioThreshold = z.strictObject({
  text: z.string(),
  a: z.string(),
  b: z.string(),
  /** `METRIC.FIGURE`, where `last` is the last subscriber of each broadcast, or a count of the ledger. */
  of: z.string(),
  comparison: z.enum(ratioSigns),
  bound: z.number().positive(),
  /** How many times as much `a` has as `b`; null where that can't be stated, or `b` has none. */
  ratio: z.number().nullable(),
  /** Of a latency: the ratio of the medians over all rounds, for which a verdict must hold as well. */
  ofMedians: z.number().nullable(),
  /** Of a count: that of `a` and that of `b` over all runs; null for latencies, and where runs can't be compared. */
  totals: z.tuple([z.number(), z.number()]).nullable(),
  /** The truth lies above the first with 95 %, and below the second with 95 %; null for counts. */
  bounds: interval.nullable(),
  /** The same without the time that the rig may have added; null where that is unknown. */
  boundsAtLeast: interval.nullable(),
  /** Whether the limit is met. */
  holds: z.enum(answers),
});

export type JudgedRatio = z.output<typeof ratioThreshold>;

export const headlineFigure = z.strictObject({
  column: z.string(),
  /** Of valid runs; the lower of two middle values. */
  median: z.number(),
  least: z.number(),
  most: z.number(),
  /** From the spread between runs and broadcasts; null if unknown. */
  interval: interval.nullable(),
});

export type HeadlineFigure = z.output<typeof headlineFigure>;

/** A target’s row of a scoreboard; one that cannot run here keeps its row. */
export const comparisonRow = z.strictObject({
  target: z.string(),
  state: z.enum(['ran', 'notAvailable', 'failed']),
  /** Empty if it ran. */
  why: outsideSentence,
  runs: z.array(z.strictObject({ directory: z.string(), result: runResult })),
  figures: z.array(headlineFigure),
});

export type ComparisonRow = z.output<typeof comparisonRow>;

/** A run and the directory that keeps it. */
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

/** The same load with more workers and shards: what moves was limited by the rig. */
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
  /** Each variant against its base, by column; all intervals hold together with 95 %. */
  against: z.array(pair),
});

export type Proof = z.output<typeof proof>;

export const comparisonFile = 'comparison.json';

/** `comparison.json`: several targets under one shape, repeats interleaved. */
export const comparison = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  scenario: z.string(),
  fingerprint: z.string(),
  /** How the shapes differ, with `--force`; empty otherwise. */
  forced: outsideSentence,
  repeat: z.number().int().min(1),
  startedAt: z.iso.datetime(),
  rows: z.array(comparisonRow),
  proof: proof.nullable(),
  /** How all targets compare in turn; left out where whole runs followed each other. */
  paired: paired.optional(),
  /** Limits for ratios of two targets; left out where none was given. */
  ratioThresholds: z.array(ratioThreshold).optional(),
  /** Every pair with enough runs on both sides, by column. */
  pairs: z.array(pair),
});

export type Comparison = z.output<typeof comparison>;

export type RunOrComparison = RunResult | Comparison;

export function isComparison(found: RunOrComparison): found is Comparison {
  return 'rows' in found;
}

/** The runs by row; a single run is one row. */
export function comparisonRows(
  found: RunOrComparison,
): readonly Pick<ComparisonRow, 'target' | 'state' | 'why' | 'runs'>[] {
  if (isComparison(found)) return found.rows;
  return [{ target: found.target.name, state: 'ran', why: '', runs: [{ directory: '', result: found }] }];
}
