import { z } from 'zod';
import type { Series } from '../../measure/series.js';
import { withoutSecrets } from '../../units/addresses.js';
import { jsonIn } from '../../units/text.js';
import { ask } from '../launch/stats.js';
import { type Readings, reasonOf } from './source.js';

/** A query in PromQL, with the name that the user gave it. */
export interface Query {
  name: string;
  query: string;
}

const form = /^([a-zA-Z][\w-]{0,39})=(\S.*)$/;

/** Reads `heap=process_resident_memory_bytes{job="chat"}`. Undefined for other text. */
export function queryOf(text: string): Query | undefined {
  const [, name, query] = form.exec(text.trim()) ?? [];
  return name === undefined || query === undefined ? undefined : { name, query };
}

export function queriesIn(texts: readonly string[]): Query[] {
  return texts.flatMap((text) => queryOf(text) ?? []);
}

const path = '/api/v1/query';
const withinMs = 5_000;
const sample = z.tuple([z.number(), z.string()]);

/** An answer of the HTTP API of Prometheus. */
const answer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('error'), error: z.string().default('an error') }),
  z.object({
    status: z.literal('success'),
    data: z.discriminatedUnion('resultType', [
      z.object({ resultType: z.literal('vector'), result: z.array(z.object({ value: sample })) }),
      z.object({ resultType: z.literal('scalar'), result: sample }),
    ]),
  }),
]);

/** Asks a Prometheus server for the values of queries now. Returns undefined if another server answers. */
export async function askServer(
  url: string,
  queries: readonly Query[],
  signal: AbortSignal,
): Promise<Readings | undefined> {
  const at = new URL(url);
  if (!at.pathname.endsWith(path)) at.pathname = at.pathname.replace(/\/$/, '') + path;
  const answers = await Promise.allSettled(
    queries.map(({ query }) => {
      at.searchParams.set('query', query);
      return ask(at.href, { withinMs, signal, headers: { accept: 'application/json' } });
    }),
  );
  signal.throwIfAborted();
  const isOther = answers.every(
    (each) => each.status === 'fulfilled' && each.value.statusCode < 500 && !isOfServer(each.value.text),
  );
  if (isOther) return undefined;
  return together(
    queries.map((query, index) =>
      readingOf(query, () => {
        const each = answers[index]!;
        if (each.status === 'rejected') throw each.reason;
        const { statusCode, text } = each.value;
        if (!isOfServer(text)) throw new Error(`${withoutSecrets(url)} answered ${statusCode}`);
        const read = answer.parse(jsonIn(text));
        if (read.status === 'error') throw new Error(read.error);
        const { data } = read;
        const samples = data.resultType === 'scalar' ? [data.result] : data.result.map(({ value }) => value);
        return soleValue(samples.map(([, value]) => Number(value.replace('Inf', 'Infinity'))));
      }),
    ),
  );
}

function isOfServer(text: string): boolean {
  const { status } = (jsonIn(text) ?? {}) as { status?: unknown };
  return status === 'success' || status === 'error';
}

/** Returns the value of a query that has exactly one. */
export function soleValue(values: readonly number[]): number {
  const [value] = values;
  if (value === undefined) throw new Error('it has no value there');
  if (values.length > 1) throw new Error(`expected one value, received ${values.length}: name a label, or use sum()`);
  return value;
}

/** Returns the reading of a query, or why it has none. NaN and infinity are no values. */
export function readingOf(query: Query, read: () => number): Readings {
  try {
    const value = read();
    const unit: Series['unit'] = /_bytes\b/.test(query.query) ? 'bytes' : 'count';
    const reading = { name: 'query', process: query.name, unit, value } as const;
    return { endings: [], values: Number.isFinite(value) ? [reading] : [] };
  } catch (error) {
    return endingOf(query, reasonOf(error));
  }
}

export function endingOf({ name }: Query, because: string): Readings {
  return { endings: [{ name: 'query', process: name, because }], values: [] };
}

export function together(parts: readonly Readings[]): Readings {
  return { endings: parts.flatMap(({ endings }) => endings), values: parts.flatMap(({ values }) => values) };
}
