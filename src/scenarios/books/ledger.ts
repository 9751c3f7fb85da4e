import {
  type Books,
  breaksOf,
  type CountKind,
  kindsOf,
  type Ledger,
  type LedgerEntries,
  type LedgerLines,
  ledgerSum,
  type Sum,
} from '../../measure/ledger.js';
import { causesInWords, countText } from '../../units/text.js';
import type { Sums } from '../scenario.js';

export const openedSum = ledgerSum(['asked', 'clients asked'], { opened: 'opened', notOpened: 'not opened' });

export const backSum = ledgerSum(['cut', 'clients cut'], {
  proven: 'proven by a delivery',
  backUnproven: ['back without one', 'open'],
  notBack: 'not back',
});

export const attemptSum = ledgerSum(['attempts', 'attempts to come back'], {
  returns: ['came back', 'good'],
  failedAttempts: 'failed',
  underWay: 'under way',
});

/** Adds up the values of a list, of a series or of counts by cause. */
export function total(values: Iterable<number> | Readonly<Record<string, number>> = []): number {
  let sum = 0;
  for (const value of Symbol.iterator in values ? values : Object.values(values)) sum += value;
  return sum;
}

/** Says that a run lacks the sends of a shard, so that what they owe is in no count. */
export const unlearnedInWords = 'some workers do not know what other shards sent: what that owes is not counted';

/** An empty series, for one that a run does not have. */
export const none = new Uint32Array(0);

/** Returns the counts of these names only, 0 where a run has none. */
export function countsOf(counts: Readonly<Record<string, number>>, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, counts[name] ?? 0]));
}

/** Returns the counts without zeros. */
export function notZero(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, times]) => times > 0));
}

/** Checks a sum with a part that is not a count of the ledger. Returns the mismatch in words, or an empty list. */
export function check(whole: number, name: string, sum: number, parts: string): string[] {
  return whole === sum ? [] : [`${name} ${whole} is not ${parts} = ${sum}`];
}

/** Declares the ledger of a scenario. `count` returns the mismatches beyond those of the sums. */
interface LedgerSpec<S> {
  /** Another ledger whose counts this one includes. */
  base?: { books: Books };
  kinds: Partial<Record<CountKind, readonly string[]>>;
  sums: readonly Sum[];
  count(sums: S): Omit<Ledger, 'breaks'> & Partial<Ledger>;
  lines(reader: ReturnType<typeof readerOf>, entries: LedgerEntries): LedgerLines;
}

/** Builds the parts of a scenario's ledger: its books, its counting and its lines. */
export function ledgerOf<S = Sums>({ base, kinds, sums, count, lines }: LedgerSpec<S>) {
  const books: Books = { kinds: { ...base?.books.kinds, ...kindsOf(kinds) }, sums };
  return {
    books,
    ledger(collected: S): Ledger {
      const counted = count(collected);
      return { ...counted, breaks: [...breaksOf(books, counted.entries), ...(counted.breaks ?? [])] };
    },
    ledgerLines: (entries: LedgerEntries): LedgerLines => lines(readerOf(entries), entries),
  };
}

/** Returns functions that print entries: as numbers, as formatted numbers, and as causes in brackets. */
export function readerOf(entries: LedgerEntries) {
  const number = (name: string): number => (entries[name] as number | undefined) ?? 0;
  const of = (name: string): string => countText(number(name));
  const causes = (name: string): string => {
    const words = causesInWords(entries[name] as Record<string, number> | undefined);
    return words === '' ? '' : ` (${words})`;
  };
  return {
    number,
    of,
    causes,
    /**
     * Prints `5 acked + 2 refused (http-status:503 × 2)`. `byCause` names the causes of parts, `quiet` the parts left
     * out at 0.
     */
    parts({ parts }: Sum, byCause: Readonly<Record<string, string>> = {}, quiet: readonly string[] = []): string {
      return parts
        .filter(([part]) => number(part) !== 0 || !quiet.includes(part))
        .map(([part, title]) => `${of(part)} ${title}${causes(byCause[part] ?? '')}`)
        .join(' + ');
    },
  };
}
