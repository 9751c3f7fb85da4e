import { z } from 'zod';
import { outside, outsideSentence, outsideSentences } from '../../contract/outside.js';
import { stopCodes } from '../../contract/stop-reasons.js';
import { answers } from '../../measure/statement.js';
import { verdict } from '../../results/result.js';

/** One run of a search. */
export const searchTry = z.strictObject({
  ratePerSecond: z.number(),
  /** Whether the target kept up, or kept the limit: open where the rig may have written the figures. */
  holds: z.enum(answers),
  /** Why it is not good, and what takes its side away. */
  signs: z.array(z.strictObject({ sign: outside, text: outsideSentence })),
  doubts: outsideSentences,
  rig: verdict.shape.rig,
  /** Its stop as the search sees it: a target that no longer takes clients is unreachable. */
  stop: z.enum(stopCodes),
  directory: z.string(),
});

export type SearchTry = z.output<typeof searchTry>;
