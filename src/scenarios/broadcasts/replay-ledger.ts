import { type LedgerEntries, sumOf } from '../../measure/ledger.js';
import { count } from '../../units/words.js';
import { ledgerOf } from '../books.js';
import type { Sums } from '../scenario.js';
import { broadcastLedger, deliverySum, ofAcked, publishSum } from './ledger.js';

const deliveredSum = sumOf(['delivered', 'delivered'], { live: 'live', replayed: 'replayed after a return' });
const lostSum = sumOf(['lost', 'lost'], { lostOffline: 'while offline', lostOnline: 'while online' });

/** Deliveries split into live and replayed ones, losses by whether the subscriber was away. */
export const replayLedger = ledgerOf<Pick<Sums, 'counts' | 'series'>>({
  base: broadcastLedger,
  kinds: { given: ['replayed'], merit: ['live'], fault: ['lostOffline', 'lostOnline'] },
  sums: [
    publishSum,
    sumOf(['expected', 'deliveries expected'], {
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

/** How many sessions of the `returned` clients were recovered, in words; empty where nobody came back. */
export function recoveredInWords(entries: LedgerEntries, returned: string): string {
  const { resumes = 0, recovered = 0, [returned]: returns = 0 } = entries as Record<string, number>;
  if (returns === 0) return '';
  return resumes === 0 ? '; the protocol resumes none' : `; ${count(recovered)} of ${count(resumes)} recovered`;
}
