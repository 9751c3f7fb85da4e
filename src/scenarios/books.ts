import { causesInWords, count } from '../units/words.js';
import type { LedgerEntries } from './scenario.js';

/** The sum of counts, of a series or by cause. */
export function total(values: Iterable<number> | Readonly<Record<string, number>> = []): number {
  let sum = 0;
  for (const value of Symbol.iterator in values ? values : Object.values(values)) sum += value;
  return sum;
}

/** Counts without those of which there is none. */
export function notZero(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, times]) => times > 0));
}

/** What breaks the books where a whole is not the sum of its parts, in words; nothing where it is. */
export function check(whole: number, name: string, sum: number, parts: string): string[] {
  return whole === sum ? [] : [`${name} ${whole} is not ${parts} = ${sum}`];
}

/** Reads entries for sentences: as a number, as a number in words, and counts by cause in brackets, of which nothing is said where there are none. */
export function readerOf(entries: LedgerEntries) {
  const number = (name: string): number => (entries[name] as number | undefined) ?? 0;
  return {
    number,
    of: (name: string): string => count(number(name)),
    causes(name: string): string {
      const words = causesInWords(entries[name] as Record<string, number> | undefined);
      return words === '' ? '' : ` (${words})`;
    },
  };
}
