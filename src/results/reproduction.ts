import { z } from 'zod';
import { outsideSentence, outsideSentences, outsideVersions } from '../contract/problems.js';
import { machine } from '../contract/shard.js';
import { answers, openReasons } from '../measure/statement.js';
import { publishedTable } from './published.js';
import { interval, tool, verdictCounts } from './result.js';

const measured = z.strictObject({
  median: z.number(),
  least: z.number(),
  most: z.number(),
  /** 95 % interval; null if no spread is known. */
  interval: interval.nullable(),
  runs: z.number().int(),
  /** Lower end of the median of a bounded figure, without what the rig may have added. Left out without a bound. */
  atLeast: z.number().optional(),
});

/** Describes a published table beside the figures that the same shape gave here. */
export const reproduction = z.strictObject({
  tool,
  startedAt: z.iso.datetime(),
  scale: z.number(),
  /** Share of the published length that ran. Earlier results ran all of it. */
  time: z.number().default(1),
  repeat: z.number().int(),
  /** Set if all contenders ran at once and took turns in each start. Left out for whole runs. */
  isInTurn: z.literal(true).optional(),
  table: publishedTable,
  changes: z.array(z.strictObject({ option: z.string(), published: z.string(), here: z.string() })),
  ours: z.string(),
  /** Finding of a search, a line for each size. */
  found: outsideSentences.default([]),
  rig: z.strictObject({
    machine,
    client: z.string(),
    workersPerShard: z.number().int(),
    shards: z.number().int(),
    hasHistograms: z.boolean(),
    /** Says how publishes are sent, and whether a slow answer delays the next one. */
    publisher: z.string(),
  }),
  targets: z.array(
    z.strictObject({
      target: z.string(),
      /** `elsewhere`: Ringside has no such target. */
      state: z.enum(['ran', 'notAvailable', 'failed', 'elsewhere']),
      why: outsideSentence,
      /** Text of what ran under the name; empty if it is the target of that name, unchanged. */
      by: z.string().default(''),
      versions: outsideVersions,
      verdicts: verdictCounts,
      evidence: outsideSentences,
    }),
  ),
  rows: z.array(
    z.strictObject({
      figure: z.string(),
      measured: measured.nullable(),
      why: outsideSentence,
      /** Measured over published; null if either is missing or zero. */
      ratio: z.number().nullable(),
    }),
  ),
  /** Pairs of contenders in one figure, `a` published below `b`. Each says whether `a` lies below `b` here too. */
  pairs: z.array(
    z.strictObject({
      metric: z.string(),
      a: z.string(),
      b: z.string(),
      holds: z.enum(answers),
      because: z.enum(openReasons).optional(),
      /** Ratio of `a` to `b` here, with the interval that decides. Left out if unknown. */
      ratio: z.number().optional(),
      interval: interval.optional(),
      /** What a second measurement of a reversed pair says, with the other kind of clients. */
      second: z.strictObject({ holds: z.enum(answers), why: outsideSentence }).optional(),
      /** Set if too few runs show the spread between starts: the statement is about these processes. */
      isOfProcesses: z.literal(true).optional(),
    }),
  ),
});

export type Reproduction = z.output<typeof reproduction>;
export type ReproducedTarget = Reproduction['targets'][number];
export type ReproducedFigure = Reproduction['rows'][number];
export type ReproducedPair = Reproduction['pairs'][number];
