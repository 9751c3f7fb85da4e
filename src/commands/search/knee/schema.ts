import { z } from 'zod';
import { outside, outsideSentence, outsideSentences } from '../../../contract/outside.js';
import { machine } from '../../../contract/shard.js';
import { stopCodes } from '../../../contract/stop-reasons.js';
import { resultVersion, runResult, tool, verdict } from '../../../results/result.js';

const figure = z.number().nullable();

/** One run of the search for a knee, and what it says. Latencies in microseconds, from the intended instant. */
export const kneeTry = z.strictObject({
  ratePerSecond: z.number(),
  /** `recovery` runs come after the search: at a rate that jams, and then at half the knee. */
  purpose: z.enum(['search', 'recovery']),
  vote: z.enum(['good', 'jammed', 'doubtful']),
  /** What shows the jam, in words with figures; of a doubtful run, too, where it looked jammed. */
  signs: z.array(z.strictObject({ sign: outside, text: outsideSentence })),
  /** Why it says nothing of the target; empty otherwise. */
  doubts: outsideSentences,
  p50: figure,
  p99: figure,
  deliveriesPerSecond: z.number(),
  drain: figure,
  rig: verdict.shape.rig,
  /** What ended it, for the search: a target that takes nobody any more can't be reached, whatever the run itself calls it. */
  stop: z.enum(stopCodes),
  directory: z.string(),
});

export type KneeTry = z.output<typeof kneeTry>;

/** What ended the search at one number of subscribers. */
export const kneeEnds = {
  jammed: 'the target jammed',
  doubtful: 'the rig stopped first',
  highestKept: 'kept up with the highest rate',
  lowestFailed: 'not even the lowest rate',
  ended: 'ended before',
} as const;

/** The knee at one number of subscribers. Rates are publishes per second. */
export const kneeRow = z.strictObject({
  subscribers: z.number().int(),
  /** The median p50 of the runs at the lowest rate; null where none was kept up with. */
  plateau: figure,
  end: z.enum(Object.keys(kneeEnds) as [keyof typeof kneeEnds, ...(keyof typeof kneeEnds)[]]),
  /** By the majority of the runs at each. */
  keptUpTo: figure,
  failedFrom: figure,
  /** The geometric middle of the two, and as messages that the target sends; null where the target did not jam. */
  kneePerSecond: figure,
  messagesPerSecond: figure,
  /** Between the highest rate that every run kept up with and the lowest that none did; wider than the edges where runs disagree. */
  interval: z.tuple([figure, figure]),
  /** What decided the upper edge, in words. */
  why: outsideSentences,
  /** Null where the target did not jam, or the search was ended before. */
  recovery: z
    .strictObject({
      ratePerSecond: z.number(),
      /** Null where the runs leave it open, or the target was not jammed again first. */
      hasRecovered: z.boolean().nullable(),
      /** Runs that it took. */
      runs: z.number().int(),
      p50: figure,
      /** Whether it was the process that had jammed; null for a target that is not ours to know of. */
      isSameProcess: z.boolean().nullable(),
      /** Why it is not known whether it recovered; empty otherwise. */
      why: outsideSentences,
    })
    .nullable(),
  tries: z.array(kneeTry),
});

export type KneeRow = z.output<typeof kneeRow>;

/** The file of a search for a knee, in its directory. */
export const kneeFile = 'knee.json';

/** `knee.json`: for each number of subscribers the publish rate at which a target jams. */
export const knee = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  startedAt: z.iso.datetime(),
  target: runResult.shape.target.pick({ name: true, protocol: true, isOurs: true, versions: true, settings: true }),
  client: z.string(),
  publish: z.string(),
  precision: z.number(),
  repeat: z.number().int(),
  durationMs: z.number(),
  drainMs: z.number(),
  minRate: z.number(),
  maxRate: z.number(),
  /** What all runs share, as a run's result has it. */
  job: runResult.shape.job.pick({ options: true, load: true, shards: true, seed: true }),
  /** Where each value came from; `search` where the search sets it. */
  sources: runResult.shape.sources,
  environment: z.strictObject({ driver: machine, shards: z.array(machine) }),
  rows: z.array(kneeRow),
  /** Whether the knee, in messages sent per second, is the same for every number of subscribers; null for fewer than two knees. */
  sameness: z
    .strictObject({ isSame: z.boolean(), lowest: z.number(), highest: z.number(), allowedSpread: z.number() })
    .nullable(),
  /** Why the search ended before all was found; empty otherwise. */
  endedBecause: outsideSentence,
});

export type Knee = z.output<typeof knee>;
