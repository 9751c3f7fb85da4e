import { kindsOf, type LedgerEntries, type LedgerLines, ledgerSum } from '../../measure/ledger.js';
import { check, countsOf, ledgerOf, type readerOf, total } from '../books.js';
import { broadcastLedger } from '../broadcasts/ledger.js';
import type { Sums } from '../scenario.js';

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
