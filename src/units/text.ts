import { createPrivateKey, X509Certificate } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';

/** Formats a count with separated thousands. */
export function countText(value: number): string {
  return value.toLocaleString('en-US');
}

/** Returns a number with its noun: `1 run`, `3 runs`. */
export function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

const fewNamed = 3;

/** Returns the first three of several texts, and the number of others: `one; two; three; and 7 more`. */
export function firstFew(texts: readonly string[], separator = '; '): string {
  const more = texts.length - fewNamed;
  return [...texts.slice(0, fewNamed), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
}

/** Formats a part of a whole as a percentage. It is 100 only if nothing is missing, and a dash for an empty whole. */
export function shareOf(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (part / whole) * 100;
  return `${part < whole ? Math.min(percent, 99.99).toFixed(2) : '100'} %`;
}

/** Returns a cause without its detail: `http-status` of `http-status:503`. */
export function kindOfCause(cause: string): string {
  return cause.split(':')[0] ?? cause;
}

export function commonestFirst(counts: Readonly<Record<string, number>>): [cause: string, times: number][] {
  return Object.entries(counts).sort(([, a], [, b]) => b - a);
}

const mostNamed = 10;

/** Returns counts by cause, with the commonest ten by name: `reset × 12, close-code:1006 × 1`. */
export function causesInWords(counts: Readonly<Record<string, number>> = {}): string {
  const all = commonestFirst(counts);
  const rest = all.slice(mostNamed);
  const named = all.slice(0, mostNamed).map(([cause, times]) => `${cause} × ${countText(times)}`);
  if (rest.length > 0)
    named.push(`${rest.length} more × ${countText(rest.reduce((sum, [, times]) => sum + times, 0))}`);
  return named.join(', ');
}

/** Maximum length of one text of a target or shard. */
export const longestText = 256;

/** Maximum length of a sentence that quotes several such texts, or of a stack. */
export const longestSentence = 2048;

/** Controls, format characters (such as overrides of writing direction), lone surrogates and white space. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\s]+/gu;

/** Cleans another program's text: one line of at most `longest` characters, without escape sequences. */
export function outsideText(text: string, longest: number = longestText): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return stripVTControlCharacters(cut).replaceAll(unsafe, ' ').trim();
}

const controls = /[\p{Cc}\p{Cf}\p{Cs}]+/gu;

/** Cleans a value of any size for printing: no text or name in it has a control character or an escape sequence. */
export function printable(value: unknown): unknown {
  const clean = (text: string): string => stripVTControlCharacters(text).replaceAll(controls, ' ');
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(printable);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), printable(each)]));
}

/** Cleans another program's value: names and texts by `outsideText`, and 64 entries of lists and maps. */
export function outsideValue(value: unknown): unknown {
  if (typeof value === 'string') return outsideText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, mostEntries).map(outsideValue);
  return outsideRecord(value as Record<string, unknown>, outsideValue);
}

/** Returns the first 64 entries of another program's map, with cleaned names and values. */
export function outsideRecord<T>(record: Readonly<Record<string, T>>, clean: (value: T) => T): Record<string, T> {
  const entries = Object.entries(record).slice(0, mostEntries);
  return Object.fromEntries(entries.map(([name, value]) => [outsideText(name), clean(value)]));
}

const mostEntries = 64;

/** Returns a document as JSON text, as it is kept and printed. */
export function jsonText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Parses JSON text of another program. Returns undefined for other text, which callers judge; it never throws. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the JSON object of a text. Undefined for anything else. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Stands between the texts of several identities. */
export const betweenIdentities = '\0';

/** Returns what clients show of such a text, by client. It is one for all, if the text has one. */
export function identitiesOf(
  text: string | undefined,
  clients: number,
  numberOf: (client: number) => number,
): string[] {
  const all = text === undefined ? [] : text.split(betweenIdentities);
  if (all.length < 2) return all;
  return Array.from({ length: clients }, (_, client) => all[numberOf(client) % all.length] as string);
}

/** Explains why a text is not a certificate in PEM with its key. Undefined if it is one. */
export function identityFault(text: string): string | undefined {
  try {
    const isPair = new X509Certificate(text).checkPrivateKey(createPrivateKey(text));
    return isPair ? undefined : 'the key is of another certificate';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Explains why a text is not a certificate in PEM. Undefined if it is one. */
export function pemFault(text: string): string | undefined {
  try {
    new X509Certificate(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
