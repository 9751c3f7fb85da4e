import { z } from 'zod';
import { outsideSentence, outsideSentences } from '../../../contract/outside.js';
import { machine } from '../../../contract/shard.js';
import { resultVersion, runResult, tool } from '../../../results/result.js';
import { searchTry } from '../judge.js';

const figure = z.number().nullable();

/** One run of the search. Latencies in microseconds, from the intended instant. */
export const kneeTry = searchTry.extend({
  /** `recovery` runs come after the search: at a rate that jams, and then at half the knee. */
  purpose: z.enum(['search', 'recovery']),
  p50: figure,
  p99: figure,
  deliveriesPerSecond: z.number(),
  drain: figure,
});

export type KneeTry = z.output<typeof kneeTry>;

/** What ended the search at one number of subscribers. */
export const kneeEnds = {
  jammed: 'the target jammed',
  doubtful: 'the rig stopped first',
  disordered: 'a rate was kept up with above one that was not',
  highestKept: 'kept up with the highest rate',
  lowestFailed: 'failed at the lowest rate',
  ended: 'the search ended early',
} as const;

/** The knee at one number of subscribers. Rates are publishes per second. */
export const kneeRow = z.strictObject({
  subscribers: z.number().int(),
  /** The median p50 of the good runs at the lowest rate; null without any. */
  plateau: figure,
  end: z.enum(Object.keys(kneeEnds) as [keyof typeof kneeEnds, ...(keyof typeof kneeEnds)[]]),
  /** By the majority of the runs at each. */
  keptUpTo: figure,
  failedFrom: figure,
  /** The geometric middle of the two, and times the subscribers; null if the target did not jam. */
  kneePerSecond: figure,
  messagesPerSecond: figure,
  /** From the highest rate without a jam to the lowest without a good run: wider where runs disagree. */
  interval: z.tuple([figure, figure]),
  why: outsideSentences,
  /** Null if the target did not jam or the search ended before. */
  recovery: z
    .strictObject({
      ratePerSecond: z.number(),
      hasRecovered: z.boolean().nullable(),
      runs: z.number().int(),
      p50: figure,
      /** Whether it is still the process that jammed; null for an external target. */
      isSameProcess: z.boolean().nullable(),
      why: outsideSentences,
    })
    .nullable(),
  tries: z.array(kneeTry),
});

export type KneeRow = z.output<typeof kneeRow>;

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
  job: runResult.shape.job.pick({ options: true, load: true, shards: true, seed: true }),
  /** Where each value came from; `search` where the search sets it. */
  sources: runResult.shape.sources,
  environment: z.strictObject({ driver: machine, shards: z.array(machine) }),
  rows: z.array(kneeRow),
  /** Whether the knee in messages per second is the same for every audience; null for fewer than two knees. */
  sameness: z
    .strictObject({ isSame: z.boolean(), lowest: z.number(), highest: z.number(), allowedSpread: z.number() })
    .nullable(),
  endedBecause: outsideSentence,
});

export type Knee = z.output<typeof knee>;
