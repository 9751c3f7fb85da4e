import { z } from 'zod';
import { resultVersion, tool } from './result.js';

/** File in the directory of an experiment. */
export const experimentFile = 'experiment.json';

/** Describes how an experiment began, and its finished runs. It goes on from there. */
const journal = z.strictObject({
  seed: z.number().int(),
  startedAt: z.iso.datetime(),
  /** Version, options and shapes that it was asked for. It only goes on with the same. */
  asked: z.record(z.string(), z.string()),
  runs: z.array(
    z.strictObject({
      label: z.string(),
      round: z.number().int().min(0),
      directory: z.string(),
      /** Milliseconds that the turns of the experiment had taken at its end, without interruptions. */
      atMs: z.number().min(0),
      found: z.unknown().optional(),
    }),
  ),
});

export type KeptJournal = z.output<typeof journal>;

/** The head of every experiment, whatever its `kind`. */
export const experimentHead = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  startedAt: z.iso.datetime(),
  /** Left out if it can't go on: kept runs side by side. */
  journal: journal.optional(),
});

/** Describes an experiment without an answer yet. */
export const unfinished = z.strictObject({
  ...experimentHead.shape,
  kind: z.literal('unfinished'),
  journal,
});
