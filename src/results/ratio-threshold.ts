import { z } from 'zod';
import { ratioSigns } from '../measure/paired/ratio-threshold.js';
import { answers } from '../measure/statement.js';
import { interval } from './result.js';

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
