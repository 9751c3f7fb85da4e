import { stripVTControlCharacters } from 'node:util';

/** The most characters kept of one text of a target or shard. */
export const longestText = 256;

/** The most kept of a sentence that quotes several such texts, or of a stack. */
export const longestSentence = 2048;

/** Controls, format characters (such as overrides of writing direction), lone surrogates and white space. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\s]+/gu;

/** Another program's text, fit to be kept: one line of at most `longest` characters, without escape sequences. */
export function outsideText(text: string, longest: number = longestText): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return stripVTControlCharacters(cut).replaceAll(unsafe, ' ').trim();
}

const controls = /[\p{Cc}\p{Cf}\p{Cs}]+/gu;

/** A value of any size, fit to be printed: no text or name in it has a control character or an escape sequence. */
export function printable(value: unknown): unknown {
  const clean = (text: string): string => stripVTControlCharacters(text).replaceAll(controls, ' ');
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(printable);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), printable(each)]));
}

/** Another program's value, fit to be kept: names and texts by `outsideText`, and 64 entries of lists and maps. */
export function outsideValue(value: unknown): unknown {
  if (typeof value === 'string') return outsideText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, mostEntries).map(outsideValue);
  return outsideRecord(value as Record<string, unknown>, outsideValue);
}

/** The first 64 entries of another program's map, with fit names and values. */
export function outsideRecord<T>(record: Readonly<Record<string, T>>, clean: (value: T) => T): Record<string, T> {
  const entries = Object.entries(record).slice(0, mostEntries);
  return Object.fromEntries(entries.map(([name, value]) => [outsideText(name), clean(value)]));
}

const mostEntries = 64;
