import { z } from 'zod';

/** Changes whenever a reader of published figures would have to know. */
const publishedVersion = 1;

const id = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'expected words in kebab case');
const text = z.string().min(1);

/** Units in which figures are published, and how many of ours (microseconds, bytes, shares, counts) make one. KB, MB and GB are thousands. */
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

/** One figure as it stands in its file. */
const entry = z.strictObject({
  id,
  /** One of our targets, or a name that the file explains under `elsewhere`. */
  target: z.string(),
  /** As a threshold says it: `delivery.p99`, `lost`, `delivered share`, `bytesPerConnection`; or words of the source where nothing here is like it. */
  metric: text,
  value: z.number(),
  unit: z.enum(Object.keys(publishedUnits) as [PublishedUnit, ...PublishedUnit[]]),
  /** A few words, or the row, of the very place where it stands. */
  quote: text,
  /** How the source itself qualifies the value. */
  bound: z.enum(['about', 'atLeast', 'below']).optional(),
  /** Why this one must be read with care. */
  caveat: text.optional(),
});

const method = z.strictObject({ clients: text, clock: text, samples: text, publisher: text });

/** Figures of several targets under one shape. */
const table = z.strictObject({
  id,
  title: text,
  /** Section or file of the source. */
  where: text,
  /** Where it is not that of the whole source. */
  machine: text.optional(),
  /** What of it is not as in the whole source. */
  method: method.partial().optional(),
  /** Scenario of ours, or command, that makes such a load; not every version has it. */
  scenario: text,
  /** Options of the scenario as a job file has them. */
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Where what was published is defined otherwise than what is measured here. */
  differs: z.array(text),
  /** Why its figures must be read with care. */
  caveats: z.array(text),
  figures: z.array(entry).min(1),
});

/** `results/published/*.json`: every figure of one source. */
export const publishedFile = z.strictObject({
  schema: z.literal(publishedVersion),
  source: z.strictObject({ id, title: text, url: z.url().nullable(), date: z.iso.date().nullable() }),
  machine: text,
  versions: text,
  /** How the source measured. */
  method,
  /** Servers of its figures that are no targets here, and what they are. */
  elsewhere: z.record(z.string(), text),
  tables: z.array(table).min(1),
});

export type PublishedFile = z.output<typeof publishedFile>;

/** A table with all that its source says of it. */
export const publishedTable = z.strictObject({
  ...table.shape,
  machine: text,
  source: publishedFile.shape.source,
  versions: text,
  method,
  elsewhere: publishedFile.shape.elsewhere,
});

export type PublishedTable = z.output<typeof publishedTable>;
export type PublishedFigure = z.output<typeof entry>;

/** The tables of a file, each complete in itself. */
export function tablesOf({
  source,
  machine,
  versions,
  method: how,
  elsewhere,
  tables,
}: PublishedFile): PublishedTable[] {
  return tables.map((each) => ({
    ...each,
    machine: each.machine ?? machine,
    source,
    versions,
    method: methodOf(how, each.method),
    elsewhere,
  }));
}

type Method = z.output<typeof method>;

function methodOf(whole: Method, own: z.output<typeof table>['method'] = {}): Method {
  return {
    clients: own.clients ?? whole.clients,
    clock: own.clock ?? whole.clock,
    samples: own.samples ?? whole.samples,
    publisher: own.publisher ?? whole.publisher,
  };
}
