import { z } from 'zod';
import { resultVersion, runResult } from './result.js';

/** One target's row of a scoreboard. A target that can't be started here keeps its row, with the reason. */
export const comparisonRow = z.strictObject({
  target: z.string(),
  state: z.enum(['ran', 'notAvailable', 'failed']),
  /** Why it did not run; empty when it did. */
  why: z.string(),
  runs: z.array(z.strictObject({ directory: z.string(), result: runResult })),
});

export type ComparisonRow = z.output<typeof comparisonRow>;

/** `comparison.json`: several targets under one shape, their repeats interleaved. */
export const comparison = z.strictObject({
  schema: z.literal(resultVersion),
  tool: z.strictObject({ name: z.literal('ringside-bench'), version: z.string() }),
  scenario: z.string(),
  fingerprint: z.string(),
  repeat: z.number().int().min(1),
  startedAt: z.iso.datetime(),
  rows: z.array(comparisonRow),
});

export type Comparison = z.output<typeof comparison>;
