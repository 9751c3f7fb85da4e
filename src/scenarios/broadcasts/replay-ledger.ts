import { count, shareOf } from '../../units/words.js';
import { check, readerOf } from '../books.js';
import type { Ledger, LedgerEntries } from '../scenario.js';
import { broadcastLedger, broadcastLedgerLines } from './ledger.js';

const none = new Uint32Array(0);

/**
 * The books of broadcasts to subscribers that are cut off and come back. To those of every broadcast run come: deliveries as live ones and those
 * replayed after a return, as each was counted when it came; and losses by whether the subscriber was away, out of what its bits lack.
 */
export function replayLedger(counts: Record<string, number>, series: Record<string, Uint32Array>): Ledger {
  const { entries, breaks } = broadcastLedger(counts, series);
  const { acked = none } = series;
  const ofAcked = (name: string): number =>
    (series[name] ?? none).reduce((sum, each, broadcast) => sum + (acked[broadcast] ? each : 0), 0);
  const live = ofAcked('cameLive');
  const replayed = ofAcked('cameReplayed');
  const lostOffline = ofAcked('missedAway');
  const lostOnline = ofAcked('missedThere');
  const { delivered, lost } = entries as Record<'delivered' | 'lost', number>;
  return {
    entries: { ...entries, live, replayed, lostOffline, lostOnline },
    breaks: [
      ...breaks,
      ...check(delivered, 'delivered', live + replayed, 'live + replayed'),
      ...check(lost, 'lost', lostOffline + lostOnline, 'lost while offline + while online'),
    ],
  };
}

/** The same in sentences: publishes, deliveries, delivered, lost, beside. */
export function replayLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const { number, of } = readerOf(entries);
  const [publishes, , beside] = broadcastLedgerLines(entries);
  const delivered = shareOf(number('delivered'), number('expected'));
  return [
    ...(publishes ? [publishes] : []),
    ['deliveries', `${of('expected')} = ${of('delivered')} delivered + ${of('lost')} lost  (${delivered})`],
    ['delivered', `${of('live')} live + ${of('replayed')} replayed after a return`],
    ['lost', `${of('lostOffline')} while offline + ${of('lostOnline')} while online`],
    ...(beside ? [beside] : []),
  ];
}

/** Behind the returns, of which `returned` is the entry: how many sessions were recovered. Nothing where nobody came back, who alone could show it. */
export function recoveredInWords(entries: LedgerEntries, returned: string): string {
  const { resumes = 0, recovered = 0, [returned]: returns = 0 } = entries as Record<string, number>;
  if (returns === 0) return '';
  return resumes === 0 ? '; the protocol resumes none' : `; ${count(recovered)} of ${count(resumes)} recovered`;
}
