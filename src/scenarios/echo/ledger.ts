import { shareOf } from '../../units/words.js';
import { check, readerOf, total } from '../books.js';
import { perSecond } from '../pace.js';
import type { Ledger, LedgerEntries, Sums } from '../scenario.js';

/**
 * The books of echoes: what was sent, what came back counted as it came, and what the tables of sends lack at the end. What could not be sent, or never
 * left, stands outside.
 */
export function echoLedger({ counts, causes, longestMs }: Sums): Ledger {
  const of = (name: string): number => counts[name] ?? 0;
  const entries = {
    sent: of('attempted'),
    unsent: of('unsent'),
    unsentByCause: causes.unsent ?? {},
    expected: of('attempted'),
    delivered: of('received'),
    lost: of('missing'),
    duplicate: of('duplicate'),
    late: of('late'),
    stray: of('stray'),
    roundTripsPerSecond: perSecond(of('received'), longestMs?.answers),
  };
  const accounted = entries.delivered + entries.lost;
  const breaks = [
    ...check(entries.unsent, 'unsent', total(entries.unsentByCause), 'the sum over causes'),
    ...check(entries.expected, 'expected', accounted, 'delivered + lost'),
  ];
  return { entries, breaks };
}

/** The same in sentences. */
export function echoLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const { number: value, of, causes } = readerOf(entries);
  return [
    ['sends', `${of('sent')} sent, ${of('unsent')} not sent${causes('unsentByCause')}`],
    [
      'echoes',
      `${of('expected')} = ${of('delivered')} delivered + ${of('lost')} lost  (${shareOf(value('delivered'), value('expected'))}), ${of('roundTripsPerSecond')} per second`,
    ],
    ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
  ];
}
