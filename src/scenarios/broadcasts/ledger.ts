import {
  type Books,
  kindsOf,
  type Ledger,
  type LedgerEntries,
  type LedgerLines,
  type Sum,
  sumOf,
} from '../../measure/ledger.js';
import { shareOf } from '../../units/words.js';
import { footed, readerOf, total } from '../books.js';
import type { Failures } from '../scenario.js';

/** What makes a failure of every run that is there for deliveries. */
export const deliveryFailures: Failures = { nothing: [{ got: 'delivered', missing: 'lost' }] };

/** The same of a broadcast run whose target is there all the time. */
export const broadcastFailures: Failures = { ...deliveryFailures, untaken: ['refused', 'failed'] };

export const publishSum: Sum = sumOf(['attempted', 'publishes attempted'], {
  acked: 'acked',
  refused: 'refused',
  failed: 'failed',
});

export const deliverySum: Sum = sumOf(['expected', 'deliveries expected'], { delivered: 'delivered', lost: 'lost' });

/** The ledger of every run that makes broadcasts to subscribers. */
export const broadcastBooks: Books = {
  kinds: kindsOf({
    given: ['attempted', 'expected'],
    merit: ['acked', 'delivered'],
    fault: ['refused', 'failed', 'lost', 'duplicate', 'outOfOrder', 'late'],
  }),
  sums: [publishSum, deliverySum],
};

/**
 * The books of a broadcast run from three independent sources: the publishers, counted deliveries, and the bit
 * tables. Broadcasts that were not acked stand outside.
 */
export function broadcastLedger(counts: Record<string, number>, series: Record<string, Uint32Array>): Ledger {
  const none = new Uint32Array(0);
  const { acked = none, refused = none, failed = none, delivered = none, missing = none } = series;
  const ofAcked = (values: Uint32Array): number =>
    values.reduce((sum, each, broadcast) => sum + (acked[broadcast] ? each : 0), 0);
  return footed(broadcastBooks, {
    attempted: counts.attempted ?? 0,
    acked: total(acked),
    refused: total(refused),
    failed: total(failed),
    expected: total(acked) * (counts.subscribers ?? 0),
    delivered: ofAcked(delivered),
    lost: ofAcked(missing),
    duplicate: counts.duplicate ?? 0,
    outOfOrder: counts.outOfOrder ?? 0,
    late: counts.late ?? 0,
  });
}

/** The same in sentences. */
export function broadcastLedgerLines(entries: LedgerEntries): LedgerLines {
  const { number, of, parts } = readerOf(entries);
  const share = shareOf(number('delivered'), number('expected'));
  return [
    ['publishes', `${of('attempted')} = ${parts(publishSum)}`],
    ['deliveries', `${of('expected')} = ${parts(deliverySum)}  (${share})`],
    ['beside', `${of('duplicate')} duplicate, ${of('outOfOrder')} out of order, ${of('late')} late`],
  ];
}
