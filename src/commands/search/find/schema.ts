import { z } from 'zod';
import { outsideSentence } from '../../../contract/outside.js';
import { stopCodes } from '../../../contract/stop-reasons.js';
import { resultVersion, tool, verdict } from '../../../results/result.js';

/** One run of a search: its rate, its figure, and whether the threshold was kept. */
export const findingPoint = z.strictObject({
  ratePerSecond: z.number(),
  figure: z.number().nullable(),
  /** Set where the rig's part of the figure decides the threshold: the truth is from this to the figure. */
  undecidedFromUs: z.number().optional(),
  /** Whether the rig may have raised any figure of the run. */
  isDoubted: z.boolean().optional(),
  isKept: z.boolean(),
  why: outsideSentence,
  rig: verdict.shape.rig,
  stop: z.enum(stopCodes),
  directory: z.string(),
});

export type FindingPoint = z.output<typeof findingPoint>;

export const findingFile = 'finding.json';

/** `finding.json`: the highest rate that kept a threshold and the lowest that broke it. */
export const finding = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  scenario: z.string(),
  target: z.string(),
  metric: z.string(),
  percentile: z.string(),
  unit: z.string(),
  limit: z.number(),
  highestKept: z.number().nullable(),
  lowestBroken: z.number().nullable(),
  endedBecause: outsideSentence,
  points: z.array(findingPoint),
});

export type Finding = z.output<typeof finding>;
