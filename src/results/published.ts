import { z } from 'zod';

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
  /** Qualifier of the value in the source. */
  bound: z.enum(['about', 'atLeast', 'below']).optional(),
  caveat: text.optional(),
});

/** Describes a target that represents a server of the source, with the settings of that server. */
const contender = z.strictObject({
  /** Name in the source. */
  title: text,
  target: z.string(),
  processes: z.number().int().min(2).optional(),
  /** Runtime as in `--target-runtime`. If it is not installed, the target runs on its own. */
  runtime: z.string().optional(),
  /** Options as in `--target-option`. */
  options: z.record(z.string(), z.string()).optional(),
});

const method = z.strictObject({ clients: text, clock: text, samples: text, publisher: text });

/** Describes a claim: in one metric, all targets of `lower` lie below all of `higher`. */
const claim = z.strictObject({
  text,
  metric: text,
  lower: z.array(z.string()).min(1),
  higher: z.array(z.string()).min(1),
});

/** Describes figures of several targets under one shape. */
const table = z.strictObject({
  id,
  title: text,
  /** Section or file of the source. */
  where: text,
  machine: text.optional(),
  /** Differences from the source’s method. */
  method: method.partial().optional(),
  /** Scenario or command that makes such a load. */
  scenario: text,
  /** Options as in a job file. */
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
