import { z } from 'zod';
import { outsideSentence } from '../contract/outside.js';
import { interval, type RunResult, resultVersion, runResult, tool } from './result.js';

/** What the runs of a target say together in one column of the scoreboard. */
export const headlineFigure = z.strictObject({
  column: z.string(),
  /** Of the runs that are not void; the lower middle one of an even number. */
  median: z.number(),
  least: z.number(),
  most: z.number(),
  /** 95 %, from the spread between the runs and, for a percentile, between the broadcasts of each; of a single run from its broadcasts alone; null where neither is known. */
  interval: interval.nullable(),
});

export type HeadlineFigure = z.output<typeof headlineFigure>;

/** One target's row of a scoreboard. A target that can't be started here keeps its row, with the reason. */
export const comparisonRow = z.strictObject({
  target: z.string(),
  state: z.enum(['ran', 'notAvailable', 'failed']),
  /** Why it did not run; empty when it did. */
  why: outsideSentence,
  runs: z.array(z.strictObject({ directory: z.string(), result: runResult })),
  figures: z.array(headlineFigure),
});

export type ComparisonRow = z.output<typeof comparisonRow>;

/** Two targets in one column: whether what lies between them is more than the noise. */
export const pair = z.strictObject({
  column: z.string(),
  a: z.string(),
  b: z.string(),
  /** Median of `a` over that of `b`, and its 95 % interval. */
  ratio: z.number(),
  interval,
  /** Whether the interval leaves out 1. */
  isBeyondNoise: z.boolean(),
});

export type Pair = z.output<typeof pair>;

/** The same load again with more of the rig: what moves then was the rig's. */
export const proof = z.strictObject({
  variants: z.array(
    z.strictObject({
      /** Of its row. */
      label: z.string(),
      target: z.string(),
      workersPerShard: z.number().int(),
      shards: z.number().int(),
      isBase: z.boolean(),
    }),
  ),
  /** What was left out, and why. */
  notTried: z.array(z.string()),
  /** Each column of each variant against the base of its target; all of their intervals hold at once with 95 %, each is wider than that. */
  against: z.array(pair),
});

export type Proof = z.output<typeof proof>;

/** The file of a comparison, in its directory. */
export const comparisonFile = 'comparison.json';

/** `comparison.json`: several targets under one shape, their repeats interleaved. */
export const comparison = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  scenario: z.string(),
  fingerprint: z.string(),
  /** How the shapes of its runs differ, where they were put together by force; empty otherwise. */
  forced: outsideSentence,
  repeat: z.number().int().min(1),
  startedAt: z.iso.datetime(),
  rows: z.array(comparisonRow),
  /** Null where nothing was to be proven. */
  proof: proof.nullable(),
  /** Every pair of targets in every column of which both have runs enough to know what changes between them. */
  pairs: z.array(pair),
});

export type Comparison = z.output<typeof comparison>;

/** What a result directory shows: one run, or several compared. */
export type RunOrComparison = RunResult | Comparison;

export function isComparison(found: RunOrComparison): found is Comparison {
  return 'rows' in found;
}

/** The runs by row; a single run is one row. */
export function rowsOf(found: RunOrComparison): readonly Pick<ComparisonRow, 'target' | 'state' | 'why' | 'runs'>[] {
  if (isComparison(found)) return found.rows;
  return [{ target: found.target.name, state: 'ran', why: '', runs: [{ directory: '', result: found }] }];
}
