import { shareOf } from '../../units/words.js';
import { check, readerOf, total } from '../books.js';
import type { Failures, Ledger, LedgerEntries } from '../scenario.js';

/** What makes a failure of a broadcast run whose target is there all the time. */
export const broadcastFailures: Failures = {
  nothing: [{ got: 'delivered', missing: 'lost' }],
  untaken: ['refused', 'failed'],
};

/**
 * The books of a broadcast run, out of three independent sources: what the publishers sent and were answered, what the subscribers counted as it
 * came, and what their bit tables lack at the end. Deliveries of broadcasts that were not acked are owed to nobody and stand outside.
 */
export function broadcastLedger(counts: Record<string, number>, series: Record<string, Uint32Array>): Ledger {
  const none = new Uint32Array(0);
  const { acked = none, refused = none, failed = none, delivered = none, missing = none } = series;
  const ofAcked = (values: Uint32Array): number =>
    values.reduce((sum, each, broadcast) => sum + (acked[broadcast] ? each : 0), 0);
  const entries = {
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
  };
  const breaks = [
    ...check(
      entries.attempted,
      'attempted',
      entries.acked + entries.refused + entries.failed,
      'acked + refused + failed',
    ),
    ...check(entries.expected, 'expected', entries.delivered + entries.lost, 'delivered + lost'),
  ];
  return { entries, breaks };
}

/** The same in sentences. */
export function broadcastLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const { number, of } = readerOf(entries);
  return [
    ['publishes', `${of('attempted')} = ${of('acked')} acked + ${of('refused')} refused + ${of('failed')} failed`],
    [
      'deliveries',
      `${of('expected')} = ${of('delivered')} delivered + ${of('lost')} lost  (${shareOf(number('delivered'), number('expected'))})`,
    ],
    ['beside', `${of('duplicate')} duplicate, ${of('outOfOrder')} out of order, ${of('late')} late`],
  ];
}
