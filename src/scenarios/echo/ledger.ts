import { count, shareOf } from '../../units/words.js';
import { perSecond } from '../pace.js';
import type { Ledger, LedgerEntries, Sums } from '../scenario.js';

/**
 * The books of echoes: what was sent, what came back counted as it came, and what the tables of sends lack at the end. Sends that found their client
 * gone stand outside.
 */
export function echoLedger({ counts, longestMs }: Sums): Ledger {
  const of = (name: string): number => counts[name] ?? 0;
  const entries = {
    sent: of('attempted'),
    unsent: of('unsent'),
    expected: of('attempted'),
    delivered: of('received'),
    lost: of('missing'),
    duplicate: of('duplicate'),
    late: of('late'),
    stray: of('stray'),
    roundTripsPerSecond: perSecond(of('received'), longestMs?.answers),
  };
  const accounted = entries.delivered + entries.lost;
  const breaks =
    entries.expected === accounted ? [] : [`expected ${entries.expected} is not delivered + lost = ${accounted}`];
  return { entries, breaks };
}

/** The same in sentences. */
export function echoLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const value = (name: string): number => (entries[name] as number | undefined) ?? 0;
  const of = (name: string): string => count(value(name));
  return [
    ['sends', `${of('sent')} sent, ${of('unsent')} not sent: their client was gone`],
    [
      'echoes',
      `${of('expected')} = ${of('delivered')} delivered + ${of('lost')} lost  (${shareOf(value('delivered'), value('expected'))}), ${of('roundTripsPerSecond')} per second`,
    ],
    ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
  ];
}
