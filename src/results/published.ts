import { z } from 'zod';
import { outsideSentence, outsideSentences, outsideVersions } from '../contract/problems.js';
import { machine } from '../contract/shard.js';
import { answers, openReasons } from '../measure/statement.js';
import { interval, tool, verdictCounts } from './result.js';

const id = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'expected words in kebab case');
const text = z.string().min(1);

/** Published units, with the number of our units (microseconds, bytes, shares, counts) in each. */
export const publishedUnits = {
  µs: 1,
  ms: 1000,
  s: 1_000_000,
  '%': 0.01,
  count: 1,
  '/s': 1,
  KB: 1000,
  'kB/s': 1000,
  MB: 1_000_000,
  GB: 1_000_000_000,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  '×': 1,
} as const;

export type PublishedUnit = keyof typeof publishedUnits;

const entry = z.strictObject({
  id,
  /** A target, or a name in `contenders` or `elsewhere`. */
  target: z.string(),
  /** Name as in a threshold (`delivery.p99`, `lost`), or the words of the source. */
  metric: text,
  value: z.number(),
  unit: z.enum(Object.keys(publishedUnits) as [PublishedUnit, ...PublishedUnit[]]),
  quote: text,
  bound: z.enum(['about', 'atLeast', 'below']).optional(),
  caveat: text.optional(),
});

const contender = z.strictObject({
  title: text,
  target: z.string(),
  processes: z.number().int().min(2).optional(),
  /** Runtime as in `--target-runtime`. If it is not installed, the target runs on its own. */
  runtime: z.string().optional(),
  options: z.record(z.string(), z.string()).optional(),
});

const method = z.strictObject({ clients: text, clock: text, samples: text, publisher: text });

const claim = z.strictObject({
  text,
  metric: text,
  lower: z.array(z.string()).min(1),
  higher: z.array(z.string()).min(1),
});

const table = z.strictObject({
  id,
  title: text,
  where: text,
  machine: text.optional(),
  method: method.partial().optional(),
  /** Scenario or command that makes such a load. */
  scenario: text,
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  differs: z.array(text),
  caveats: z.array(text),
  figures: z.array(entry).min(1),
  /** Claims of the source on the order of figures. A pair of figures without a claim is one itself. */
  claims: z.array(claim).default([]),
});

/** Describes `results/published/*.json`: every figure of one source. */
export const publishedFile = z.strictObject({
  schema: z.literal(1),
  source: z.strictObject({ id, title: text, url: z.url().nullable(), date: z.iso.date().nullable() }),
  machine: text,
  versions: text,
  method,
  /** Servers that have another name here, or run with more than the target alone. */
  contenders: z.record(z.string(), contender).default({}),
  /** Servers without a matching target, each with a description and the requirements to run it. */
  elsewhere: z.record(z.string(), text),
  tables: z.array(table).min(1),
});

export type PublishedFile = z.output<typeof publishedFile>;

/** Describes a table with everything its source says. */
export const publishedTable = z.strictObject({
  ...table.shape,
  machine: text,
  source: publishedFile.shape.source,
  versions: text,
  method,
  contenders: publishedFile.shape.contenders,
  elsewhere: publishedFile.shape.elsewhere,
});

export type PublishedTable = z.output<typeof publishedTable>;
export type PublishedContender = z.output<typeof contender>;
export type PublishedFigure = z.output<typeof entry>;

export function tablesOf({ schema: _, tables, ...shared }: PublishedFile): PublishedTable[] {
  return tables.map((each) => ({
    ...shared,
    ...each,
    machine: each.machine ?? shared.machine,
    method: method.parse({ ...shared.method, ...each.method }),
  }));
}

const measured = z.strictObject({
  median: z.number(),
  least: z.number(),
  most: z.number(),
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
