import { z } from 'zod';
import { outside, outsideSentence, outsideSentences } from '../contract/problems.js';
import { machine } from '../contract/shard.js';
import { stopCodes } from '../contract/stop-reasons.js';
import { answers } from '../measure/statement.js';
import { experimentHead } from './journal.js';
import { reproduction } from './published.js';
import { runResult, verdict } from './result.js';

const figure = z.number().nullable();

/** Describes one run of a search. */
export const searchTry = z.strictObject({
  ratePerSecond: z.number(),
  holds: z.enum(answers),
  signs: z.array(z.strictObject({ sign: outside, text: outsideSentence })),
  why: outsideSentences,
  rig: verdict.shape.rig,
  /** Its stop as the search sees it: a target that no longer takes clients is unreachable. */
  stop: z.enum(stopCodes),
  directory: z.string(),
});

export type SearchTry = z.output<typeof searchTry>;

/** One run of a search. It is good if it kept the threshold and neither latency nor backlog grew without end. */
const findingPoint = searchTry.extend({
  durationMs: z.number(),
  figure,
  /** Least value that the figure can have, by its bracket and all bounds. */
  leastUs: figure,
});

export type FindingPoint = z.output<typeof findingPoint>;

/** Names the results of a search for a threshold. */
export const findAnswers = ['found', 'keptAtAll', 'brokenAtAll', 'limitPassed', 'undecided'] as const;

/** A finding: the rate up to which a target keeps a threshold. Rates per second, figures in microseconds. */
export const finding = z.strictObject({
  ...experimentHead.shape,
  kind: z.literal('finding'),
  scenario: z.string(),
  target: z.string(),
  metric: z.string(),
  percentile: z.string(),
  unit: z.string(),
  limit: z.number(),
  repeat: z.number().int(),
  durationMs: z.number(),
  answer: z.enum(findAnswers),
  why: outsideSentences,
  /** From the highest rate that all its runs kept to the lowest that none of its runs kept. */
  interval: z.tuple([figure, figure]),
  /** Reason why no further rate ran, if something other than the answer ended the search. */
  endedBecause: outsideSentence,
  points: z.array(findingPoint),
});

export type FindResult = z.output<typeof finding>;

/** One run of the search. Latencies are in microseconds, from the intended instant. */
const kneeTry = searchTry.extend({
  /** `recovery` runs come after the search: at a rate that jams, and then at half the knee. */
  purpose: z.enum(['search', 'recovery']),
  p50: figure,
  p99: figure,
  deliveriesPerSecond: z.number(),
  drain: figure,
});

export type KneeTry = z.output<typeof kneeTry>;

/** Says what ended the search at one number of subscribers. */
export const kneeEnds = {
  jammed: 'the target jammed',
  open: 'the load generator stopped first',
  disordered: 'a rate was kept up with above one that was not',
  highestKept: 'kept up with the highest rate',
  lowestFailed: 'failed at the lowest rate',
  ended: 'the search ended early',
} as const;

/** Holds the knee at one number of subscribers. Rates are publishes per second. */
const kneeRow = z.strictObject({
  clients: z.number().int(),
  /** Median p50 of the good runs at the lowest rate; null without any. */
  plateau: figure,
  end: z.enum(Object.keys(kneeEnds) as [keyof typeof kneeEnds, ...(keyof typeof kneeEnds)[]]),
  /** Highest good and lowest failed rate, each by the majority of its runs. */
  keptUpTo: figure,
  failedFrom: figure,
  /** Geometric middle of the two, and that times the subscribers; null if the target did not jam. */
  kneePerSecond: figure,
  messagesPerSecond: figure,
  /** From the highest rate without a jam to the lowest without a good run. It is wider where runs disagree. */
  interval: z.tuple([figure, figure]),
  why: outsideSentences,
  /** Null if the target did not jam or the search ended before. */
  recovery: z
    .strictObject({
      ratePerSecond: z.number(),
      hasRecovered: z.boolean().nullable(),
      runs: z.number().int(),
      p50: figure,
      /** True if it is still the process that jammed; null for an external target. */
      isSameProcess: z.boolean().nullable(),
      why: outsideSentences,
    })
    .nullable(),
  tries: z.array(kneeTry),
});

export type KneeRow = z.output<typeof kneeRow>;

/** Describes a knee: for each number of subscribers the publish rate at which a target jams. */
export const knee = z.strictObject({
  ...experimentHead.shape,
  kind: z.literal('knee'),
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
  sources: runResult.shape.sources,
  environment: z.strictObject({ driver: machine, shards: z.array(machine) }),
  rows: z.array(kneeRow),
  /** Compares the knees of all audiences in messages per second; null for fewer than two knees. */
  sameness: z
    .strictObject({ isSame: z.boolean(), lowest: z.number(), highest: z.number(), allowedSpread: z.number() })
    .nullable(),
  endedBecause: outsideSentence,
  published: reproduction.optional(),
});

export type Knee = z.output<typeof knee>;
