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
import { causesInWords, countText, shareOf } from '../../units/text.js';
import type { Failures, Sums } from '../scenario.js';

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
    /** Prints `5 acked + 2 failed (reset × 2)`. `byCause` names the causes of parts, `quiet` parts left out at 0. */
    parts({ parts }: Sum, byCause: Readonly<Record<string, string>> = {}, quiet: readonly string[] = []): string {
      return parts
        .filter(([part]) => number(part) !== 0 || !quiet.includes(part))
        .map(([part, title]) => `${of(part)} ${title}${causes(byCause[part] ?? '')}`)
        .join(' + ');
    },
  };
}

/** A run fails if no delivery arrived, unless a threshold expects that. */
export const deliveryFailures: Failures = { nothing: [{ got: 'delivered', missing: ['lost'] }] };

/** A broadcast run also fails if publishes were refused or failed, as its target is there all the time. */
export const broadcastFailures: Failures = { ...deliveryFailures, untaken: ['refused', 'failed'] };

export const publishSum = ledgerSum(['attempted', 'publishes attempted'], {
  acked: 'acked',
  refused: 'refused',
  failed: 'failed',
});

export const deliverySum = ledgerSum(['expected', 'deliveries expected'], { delivered: 'delivered', lost: 'lost' });

/** Adds up the values of a series by broadcast, over the acked broadcasts. */
export function ofAcked(series: Sums['series'], name: string): number {
  const { acked = none, [name]: values = none } = series;
  return values.reduce((sum, each, broadcast) => sum + (acked[broadcast] ? each : 0), 0);
}

/** Counts from three independent sources: publishers, deliveries, bit tables. All sums are over acked broadcasts. */
export const broadcastLedger = ledgerOf<Pick<Sums, 'counts' | 'series'>>({
  kinds: {
    given: ['attempted', 'expected'],
    merit: ['acked', 'delivered'],
    fault: ['refused', 'failed', 'lost', 'duplicate', 'outOfOrder', 'late', 'wrongStream'],
  },
  sums: [publishSum, deliverySum],
  count({ counts, series }) {
    const { acked = none, refused = none, failed = none } = series;
    const entries = {
      attempted: counts.attempted ?? 0,
      acked: total(acked),
      refused: total(refused),
      failed: total(failed),
      // Expected deliveries are counted by broadcast if clients come and go, or have streams of their own.
      expected: series.owed ? ofAcked(series, 'owed') : total(acked) * (counts.subscribers ?? 0),
      delivered: ofAcked(series, 'delivered'),
      lost: ofAcked(series, 'missing'),
      duplicate: counts.duplicate ?? 0,
      outOfOrder: counts.outOfOrder ?? 0,
      late: counts.late ?? 0,
      ...(counts.wrongStream !== undefined && { wrongStream: counts.wrongStream }),
    };
    return { entries };
  },
  lines: ({ number, of, parts }, { wrongStream }) => [
    ['publishes', `${of('attempted')} = ${parts(publishSum)}`],
    ['deliveries', `${of('expected')} = ${parts(deliverySum)}  (${shareOf(number('delivered'), number('expected'))})`],
    ['beside', `${of('duplicate')} duplicate, ${of('outOfOrder')} out of order, ${of('late')} late`],
    ...(wrongStream ? [['wrong stream', `${of('wrongStream')} to clients without that stream`] as const] : []),
  ],
});

const deliveredSum = ledgerSum(['delivered', 'delivered'], { live: 'live', replayed: 'replayed after a return' });
const lostSum = ledgerSum(['lost', 'lost'], { lostOffline: 'while offline', lostOnline: 'while online' });

/** Splits deliveries into live and replayed ones, and losses by whether the subscriber was away. */
export const replayLedger = ledgerOf<Pick<Sums, 'counts' | 'series'>>({
  base: broadcastLedger,
  kinds: { given: ['replayed'], merit: ['live'], fault: ['lostOffline', 'lostOnline'] },
  sums: [
    publishSum,
    ledgerSum(['expected', 'deliveries expected'], {
      live: 'delivered live',
      replayed: 'delivered by replay',
      lostOffline: 'lost while offline',
      lostOnline: 'lost while online',
    }),
    deliverySum,
    { ...deliveredSum, isDetail: true },
    { ...lostSum, isDetail: true },
  ],
  count({ counts, series }) {
    const entries = {
      ...broadcastLedger.ledger({ counts, series }).entries,
      live: ofAcked(series, 'cameLive'),
      replayed: ofAcked(series, 'cameReplayed'),
      lostOffline: ofAcked(series, 'missedAway'),
      lostOnline: ofAcked(series, 'missedThere'),
    };
    return { entries };
  },
  lines({ parts }, entries) {
    const lines = broadcastLedger.ledgerLines(entries);
    return [...lines.slice(0, 2), ['delivered', parts(deliveredSum)], ['lost', parts(lostSum)], ...lines.slice(2)];
  },
});

/** Prints how many sessions of the `returned` clients were recovered; an empty string if no client came back. */
export function recoveredInWords(entries: LedgerEntries, returned: string): string {
  const { resumes = 0, recovered = 0, [returned]: returns = 0 } = entries as Record<string, number>;
  if (returns === 0) return '';
  return resumes === 0 ? '; the protocol resumes none' : `; ${countText(recovered)} of ${countText(resumes)} recovered`;
}

export const visitSum = ledgerSum(['visits', 'visits planned'], {
  visitsEnded: ['left in time', 'good'],
  visitsStayed: ['stayed to the end', 'good'],
  visitsCut: 'cut by the target',
  visitsFailed: 'failed to connect',
  visitsUnready: 'not ready in their time',
  visitsNotDue: 'not due',
});

/** The part of every ledger that counts visits. */
export const visitBooks = {
  kinds: kindsOf({
    given: ['visits', 'visitsNotDue'],
    merit: ['visitsEnded', 'visitsStayed'],
    fault: ['visitsCut', 'visitsFailed', 'visitsUnready'],
  }),
  sums: [visitSum],
};

const counted = ['visits', ...visitSum.parts.map(([part]) => part)];

/** Counts visits and finds mismatches. Returns nothing if no clients come and go. */
export function countVisits({ counts, causes }: Pick<Sums, 'counts' | 'causes'>) {
  if (counts.visits === undefined) return { entries: {}, breaks: [] };
  const of = countsOf(counts, counted);
  const { visitsEnded = 0, visitsStayed = 0, visitsCut = 0, visitsFailed = 0 } = of;
  const { arrive = {}, visitCut = {} } = causes;
  return {
    entries: { ...of, visitsFailedByCause: arrive, visitsCutByCause: visitCut },
    breaks: [
      ...check(counts.arrived ?? 0, 'arrived', visitsEnded + visitsStayed + visitsCut, 'ended + stayed + cut'),
      ...check(visitsFailed, 'visitsFailed', total(arrive), 'the sum of its causes'),
      ...check(visitsCut, 'visitsCut', total(visitCut), 'the sum of its causes'),
    ],
  };
}

/** Prints every visit and its outcome. Prints no line if no clients come and go. */
export function visitLines({ of, parts }: ReturnType<typeof readerOf>, entries: LedgerEntries): LedgerLines {
  if (entries.visits === undefined) return [];
  const byCause = { visitsCut: 'visitsCutByCause', visitsFailed: 'visitsFailedByCause' };
  const quiet = ['visitsCut', 'visitsFailed', 'visitsUnready', 'visitsNotDue'];
  return [['visits', `${of('visits')} planned = ${parts(visitSum, byCause, quiet)}`]];
}

/** Adds every visit and its outcome to the ledger of broadcasts, if there are visitors. */
export const visitLedger = ledgerOf({
  base: { books: { ...visitBooks, kinds: { ...broadcastLedger.books.kinds, ...visitBooks.kinds } } },
  kinds: { given: ['unowed'] },
  sums: [...broadcastLedger.books.sums, ...visitBooks.sums],
  count(sums) {
    const { entries, breaks } = countVisits(sums);
    const { unowed } = sums.counts;
    return {
      entries: { ...broadcastLedger.ledger(sums).entries, ...entries, ...(unowed !== undefined && { unowed }) },
      breaks,
    };
  },
  lines(reader, entries) {
    const lines = [...broadcastLedger.ledgerLines(entries), ...visitLines(reader, entries)];
    if (entries.unowed === undefined) return lines;
    return [...lines, ['at the edges', `${reader.of('unowed')} delivered outside of a visit’s time, owed to nobody`]];
  },
});
