import {
  type Books,
  kindsOf,
  type Ledger,
  type LedgerEntries,
  type LedgerLines,
  type Sum,
  sumOf,
} from '../../measure/ledger.js';
import { count } from '../../units/words.js';
import { footed, readerOf } from '../books.js';
import { broadcastBooks, broadcastLedger, broadcastLedgerLines, publishSum } from './ledger.js';

const none = new Uint32Array(0);

const deliveredSum: Sum = {
  ...sumOf(['delivered', 'delivered'], { live: 'live', replayed: 'replayed after a return' }),
  isDetail: true,
};

const lostSum: Sum = {
  ...sumOf(['lost', 'lost'], { lostOffline: 'while offline', lostOnline: 'while online' }),
  isDetail: true,
};

/** The ledger of broadcasts to subscribers that come back. */
export const replayBooks: Books = {
  kinds: {
    ...broadcastBooks.kinds,
    ...kindsOf({ given: ['replayed'], merit: ['live'], fault: ['lostOffline', 'lostOnline'] }),
  },
  sums: [
    publishSum,
    sumOf(['expected', 'deliveries expected'], {
      live: 'delivered live',
      replayed: 'delivered by replay',
      lostOffline: 'lost while offline',
      lostOnline: 'lost while online',
    }),
    ...broadcastBooks.sums.filter((sum) => sum !== publishSum),
    deliveredSum,
    lostSum,
  ],
};

/**
 * The books of broadcasts to subscribers that come back: deliveries split into live and replayed ones, losses by
 * whether the subscriber was away.
 */
export function replayLedger(counts: Record<string, number>, series: Record<string, Uint32Array>): Ledger {
  const { entries } = broadcastLedger(counts, series);
  const { acked = none } = series;
  const ofAcked = (name: string): number =>
    (series[name] ?? none).reduce((sum, each, broadcast) => sum + (acked[broadcast] ? each : 0), 0);
  const live = ofAcked('cameLive');
  const replayed = ofAcked('cameReplayed');
  const lostOffline = ofAcked('missedAway');
  const lostOnline = ofAcked('missedThere');
  return footed(replayBooks, { ...entries, live, replayed, lostOffline, lostOnline });
}

/** The same in sentences: publishes, deliveries, delivered, lost, beside. */
export function replayLedgerLines(entries: LedgerEntries): LedgerLines {
  const { parts } = readerOf(entries);
  const lines = broadcastLedgerLines(entries);
  return [...lines.slice(0, 2), ['delivered', parts(deliveredSum)], ['lost', parts(lostSum)], ...lines.slice(2)];
}

/** How many sessions of the `returned` clients were recovered, in words; empty where nobody came back. */
export function recoveredInWords(entries: LedgerEntries, returned: string): string {
  const { resumes = 0, recovered = 0, [returned]: returns = 0 } = entries as Record<string, number>;
  if (returns === 0) return '';
  return resumes === 0 ? '; the protocol resumes none' : `; ${count(recovered)} of ${count(resumes)} recovered`;
}
