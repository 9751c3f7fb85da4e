import { z } from 'zod';
import { outsideSentence, outsideSentences, outsideVersions } from '../../contract/outside.js';
import { machine } from '../../contract/shard.js';
import { publishedTable } from '../../results/published.js';
import { interval, resultVersion, tool } from '../../results/result.js';

/** What was asked otherwise than the source did, in words. */
export const reproductionChange = z.strictObject({
  /** Flag of the option. */
  option: z.string(),
  published: z.string(),
  here: z.string(),
});

/** A target of the table: what became of it here. */
export const reproducedTarget = z.strictObject({
  target: z.string(),
  /** `elsewhere` is no target of ours. */
  state: z.enum(['ran', 'notAvailable', 'failed', 'elsewhere']),
  /** Why it did not run; empty when it did. */
  why: outsideSentence,
  versions: outsideVersions,
  /** How many of its runs ended with which verdict. */
  verdicts: z.strictObject({ clean: z.number().int(), limited: z.number().int(), void: z.number().int() }),
  /** What speaks against its runs, once for each rule. */
  evidence: outsideSentences,
});

/** A published figure and what was measured, in the unit in which it was published. */
export const reproducedFigure = z.strictObject({
  figure: z.string(),
  /** Null where nothing was measured, `why` says why. */
  measured: z
    .strictObject({
      median: z.number(),
      least: z.number(),
      most: z.number(),
      /** 95 %, as on a scoreboard; null where no spread is known. */
      interval: interval.nullable(),
      runs: z.number().int(),
    })
    .nullable(),
  why: outsideSentence,
  /** Measured over published; null where either is none or zero. */
  ratio: z.number().nullable(),
});

/** Two targets in one figure: `a` was published below `b`. */
export const reproducedPair = z.strictObject({
  metric: z.string(),
  a: z.string(),
  b: z.string(),
  /** Whether they came out in that order by more than the noise, in the other, or could not be told apart. */
  here: z.enum(['same', 'other', 'open']),
});

/** The file of a reproduction, in its directory. */
export const reproductionFile = 'reproduction.json';

/** `reproduction.json`: one table of published figures beside what the same shape gave here. */
export const reproduction = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  startedAt: z.iso.datetime(),
  /** Of the clients. */
  scale: z.number(),
  repeat: z.number().int(),
  /** The table with the figures that were asked for. */
  table: publishedTable,
  changes: z.array(reproductionChange),
  /** Options that the source does not tell, in words. */
  ours: z.string(),
  rig: z.strictObject({
    machine,
    client: z.string(),
    workersPerShard: z.number().int(),
    shards: z.number().int(),
    /** Whether a run sent histograms in place of samples. */
    hasHistograms: z.boolean(),
    /** Who sends, and whether a slow answer delays what comes next, in words. */
    publisher: z.string(),
  }),
  targets: z.array(reproducedTarget),
  rows: z.array(reproducedFigure),
  pairs: z.array(reproducedPair),
});

export type Reproduction = z.output<typeof reproduction>;
export type ReproductionChange = z.output<typeof reproductionChange>;
export type ReproducedTarget = z.output<typeof reproducedTarget>;
export type ReproducedFigure = z.output<typeof reproducedFigure>;
export type ReproducedPair = z.output<typeof reproducedPair>;
