import { type Books, breaksOf, type Ledger, type LedgerEntries, type Sum } from '../measure/ledger.js';
import { causesInWords, count } from '../units/words.js';

/** The sum of counts, of a series or by cause. */
export function total(values: Iterable<number> | Readonly<Record<string, number>> = []): number {
  let sum = 0;
  for (const value of Symbol.iterator in values ? values : Object.values(values)) sum += value;
  return sum;
}

/** Counts without zeros. */
export function notZero(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, times]) => times > 0));
}

/** The break of a sum with a part that is no count of the ledger, in words; nothing where it adds up. */
export function check(whole: number, name: string, sum: number, parts: string): string[] {
  return whole === sum ? [] : [`${name} ${whole} is not ${parts} = ${sum}`];
}

/** A ledger with these entries: every sum of its books is checked, `further` says what else breaks it. */
export function footed(books: Books, entries: LedgerEntries, further: readonly string[] = []): Ledger {
  return { entries, breaks: [...breaksOf(books, entries), ...further] };
}

/** Reads entries for sentences: as numbers, as numbers in words, and as causes in brackets. */
export function readerOf(entries: LedgerEntries) {
  const number = (name: string): number => (entries[name] as number | undefined) ?? 0;
  const of = (name: string): string => count(number(name));
  const causes = (name: string): string => {
    const words = causesInWords(entries[name] as Record<string, number> | undefined);
    return words === '' ? '' : ` (${words})`;
  };
  return {
    number,
    of,
    causes,
    /**
     * The parts of a sum, as `5 acked + 2 refused (http-status:503 × 2)`; `byCause` names the causes of a part, a
     * part in `quiet` is left out at 0.
     */
    parts({ parts }: Sum, byCause: Readonly<Record<string, string>> = {}, quiet: readonly string[] = []): string {
      return parts
        .filter(([part]) => number(part) !== 0 || !quiet.includes(part))
        .map(([part, title]) => `${of(part)} ${title}${causes(byCause[part] ?? '')}`)
        .join(' + ');
    },
  };
}
