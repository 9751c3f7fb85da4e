import { z } from 'zod';
import { outsideSentence, outsideSentences, outsideVersions } from '../../contract/outside.js';
import { machine } from '../../contract/shard.js';
import { publishedTable } from '../../results/published.js';
import { interval, resultVersion, tool } from '../../results/result.js';

/** An option with another value than in the source, in words. */
const reproductionChange = z.strictObject({
  option: z.string(),
  published: z.string(),
  here: z.string(),
});

/** A target of the table, and how it ran here. */
const reproducedTarget = z.strictObject({
  target: z.string(),
  /** `elsewhere`: Ringside has no such target. */
  state: z.enum(['ran', 'notAvailable', 'failed', 'elsewhere']),
  /** Why it did not run; empty if it did. */
  why: outsideSentence,
  versions: outsideVersions,
  verdicts: z.strictObject({ clean: z.number().int(), limited: z.number().int(), void: z.number().int() }),
  /** Evidence against its runs, once per rule. */
  evidence: outsideSentences,
});

/** A published figure and its measured value, in the published unit. */
const reproducedFigure = z.strictObject({
  figure: z.string(),
  /** Null if nothing was measured; `why` says why. */
  measured: z
    .strictObject({
      median: z.number(),
      least: z.number(),
      most: z.number(),
      /** 95 %; null if no spread is known. */
      interval: interval.nullable(),
      runs: z.number().int(),
    })
    .nullable(),
  why: outsideSentence,
  /** Measured over published; null if either is missing or zero. */
  ratio: z.number().nullable(),
});

/** Two targets in one figure: `a` was published below `b`. */
const reproducedPair = z.strictObject({
  metric: z.string(),
  a: z.string(),
  b: z.string(),
  /** The same order by more than the noise, the other one, or undecided. */
  here: z.enum(['same', 'other', 'open']),
});

/** The file of a reproduction, in its directory. */
export const reproductionFile = 'reproduction.json';

/** `reproduction.json`: a published table beside what the same shape gave here. */
export const reproduction = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  startedAt: z.iso.datetime(),
  /** Share of the published clients. */
  scale: z.number(),
  repeat: z.number().int(),
  /** The table with the chosen figures. */
  table: publishedTable,
  changes: z.array(reproductionChange),
  /** Options that the source does not state, in words. */
  ours: z.string(),
  rig: z.strictObject({
    machine,
    client: z.string(),
    workersPerShard: z.number().int(),
    shards: z.number().int(),
    /** Whether a run sent histograms instead of samples. */
    hasHistograms: z.boolean(),
    /** Who publishes, and whether a slow answer delays the next publish, in words. */
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
