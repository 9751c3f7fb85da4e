import { z } from 'zod';
import { outside, outsideSentence, outsideSentences } from '../../contract/outside.js';
import { stopCodes } from '../../contract/stop-reasons.js';
import { verdict } from '../../results/result.js';

/** One run of a search and its vote. */
export const searchTry = z.strictObject({
  ratePerSecond: z.number(),
  vote: z.enum(['good', 'jammed', 'doubtful']),
  /** Why it is not good, and what takes its side away. */
  signs: z.array(z.strictObject({ sign: outside, text: outsideSentence })),
  doubts: outsideSentences,
  rig: verdict.shape.rig,
  /** Its stop as the search sees it: a target that no longer takes clients is unreachable. */
  stop: z.enum(stopCodes),
  directory: z.string(),
});

export type SearchTry = z.output<typeof searchTry>;
