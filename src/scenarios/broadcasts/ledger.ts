import { sumOf } from '../../measure/ledger.js';
import { shareOf } from '../../units/words.js';
import { ledgerOf, none, total } from '../books.js';
import type { Failures, Sums } from '../scenario.js';

/** What makes a failure of every run that is there for deliveries. */
export const deliveryFailures: Failures = { nothing: [{ got: 'delivered', missing: ['lost'] }] };

/** The same of a broadcast run whose target is there all the time. */
export const broadcastFailures: Failures = { ...deliveryFailures, untaken: ['refused', 'failed'] };

export const publishSum = sumOf(['attempted', 'publishes attempted'], {
  acked: 'acked',
  refused: 'refused',
  failed: 'failed',
});

export const deliverySum = sumOf(['expected', 'deliveries expected'], { delivered: 'delivered', lost: 'lost' });

/** The sum of a series by broadcast over those that were acked. */
export function ofAcked(series: Sums['series'], name: string): number {
  const { acked = none, [name]: values = none } = series;
  return values.reduce((sum, each, broadcast) => sum + (acked[broadcast] ? each : 0), 0);
}

/** From three independent sources: publishers, counted deliveries, bit tables. Broadcasts not acked stand outside. */
export const broadcastLedger = ledgerOf<Pick<Sums, 'counts' | 'series'>>({
  kinds: {
    given: ['attempted', 'expected'],
    merit: ['acked', 'delivered'],
    fault: ['refused', 'failed', 'lost', 'duplicate', 'outOfOrder', 'late'],
  },
  sums: [publishSum, deliverySum],
  count({ counts, series }) {
    const { acked = none, refused = none, failed = none } = series;
    const entries = {
      attempted: counts.attempted ?? 0,
      acked: total(acked),
      refused: total(refused),
      failed: total(failed),
      // Where clients come and go, what is owed is counted by broadcast.
      expected: series.owed ? ofAcked(series, 'owed') : total(acked) * (counts.subscribers ?? 0),
      delivered: ofAcked(series, 'delivered'),
      lost: ofAcked(series, 'missing'),
      duplicate: counts.duplicate ?? 0,
      outOfOrder: counts.outOfOrder ?? 0,
      late: counts.late ?? 0,
    };
    return { entries };
  },
  lines: ({ number, of, parts }) => [
    ['publishes', `${of('attempted')} = ${parts(publishSum)}`],
    ['deliveries', `${of('expected')} = ${parts(deliverySum)}  (${shareOf(number('delivered'), number('expected'))})`],
    ['beside', `${of('duplicate')} duplicate, ${of('outOfOrder')} out of order, ${of('late')} late`],
  ],
});
