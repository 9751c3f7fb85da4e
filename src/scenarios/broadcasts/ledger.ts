import { count, shareOf } from '../../units/words.js';
import type { Ledger, LedgerEntries } from '../scenario.js';

const sum = (series: Uint32Array): number => series.reduce((total, each) => total + each, 0);

/**
 * The books of a broadcast run, out of three independent sources: what the publishers sent and were answered, what the subscribers counted as it
 * came, and what their bit tables lack at the end. Deliveries of broadcasts that were not acked are owed to nobody and stand outside.
 */
export function broadcastLedger(counts: Record<string, number>, series: Record<string, Uint32Array>): Ledger {
  const none = new Uint32Array(0);
  const { acked = none, refused = none, failed = none, delivered = none, missing = none } = series;
  const ofAcked = (values: Uint32Array): number =>
    values.reduce((total, each, broadcast) => total + (acked[broadcast] ? each : 0), 0);
  const entries = {
    attempted: counts.attempted ?? 0,
    acked: sum(acked),
    refused: sum(refused),
    failed: sum(failed),
    expected: sum(acked) * (counts.subscribers ?? 0),
    delivered: ofAcked(delivered),
    lost: ofAcked(missing),
    duplicate: counts.duplicate ?? 0,
    outOfOrder: counts.outOfOrder ?? 0,
    late: counts.late ?? 0,
  };
  const breaks: string[] = [];
  const answered = entries.acked + entries.refused + entries.failed;
  if (entries.attempted !== answered) {
    breaks.push(`attempted ${entries.attempted} is not acked + refused + failed = ${answered}`);
  }
  const accounted = entries.delivered + entries.lost;
  if (entries.expected !== accounted) {
    breaks.push(`expected ${entries.expected} is not delivered + lost = ${accounted}`);
  }
  return { entries, breaks };
}

/** The same in sentences. */
export function broadcastLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const of = (name: string): string => count((entries[name] as number | undefined) ?? 0);
  return [
    ['publishes', `${of('attempted')} = ${of('acked')} acked + ${of('refused')} refused + ${of('failed')} failed`],
    [
      'deliveries',
      `${of('expected')} = ${of('delivered')} delivered + ${of('lost')} lost  (${shareOf((entries.delivered as number | undefined) ?? 0, (entries.expected as number | undefined) ?? 0)})`,
    ],
    ['beside', `${of('duplicate')} duplicate, ${of('outOfOrder')} out of order, ${of('late')} late`],
  ];
}
