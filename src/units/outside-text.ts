import { stripVTControlCharacters } from 'node:util';

/** How many characters are kept of one text of a target or a shard. */
export const longestText = 256;

/** How many are kept of a sentence that quotes several such texts, or a stack. */
export const longestSentence = 2048;

/** Controls of both sets, format characters (overrides of the direction of writing), halves of surrogate pairs, and all white space. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\s]+/gu;

/**
 * A text that another program chose, fit to be kept and printed: at most `longest` characters, the last of which is `…` where more came, on one line,
 * without escape sequences, and with a space for every run of white space and of characters that could move a cursor or turn a line around.
 */
export function outsideText(text: string, longest: number = longestText): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return stripVTControlCharacters(cut).replaceAll(unsafe, ' ').trim();
}

/** The same of a whole value: of every text in it, names included. Of lists and maps the first 64 entries are kept. */
export function outsideValue(value: unknown): unknown {
  if (typeof value === 'string') return outsideText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, mostEntries).map(outsideValue);
  return outsideRecord(value as Record<string, unknown>, outsideValue);
}

/** The first 64 entries of a map by names that another program chose, which are made fit like its values. */
export function outsideRecord<T>(record: Readonly<Record<string, T>>, clean: (value: T) => T): Record<string, T> {
  const entries = Object.entries(record).slice(0, mostEntries);
  return Object.fromEntries(entries.map(([name, value]) => [outsideText(name), clean(value)]));
}

const mostEntries = 64;
