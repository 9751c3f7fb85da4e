import { type Books, kindsOf, type Ledger, type LedgerEntries, type LedgerLines } from '../../measure/ledger.js';
import { shareOf } from '../../units/words.js';
import { check, footed, readerOf, total } from '../books.js';
import { deliverySum } from '../broadcasts/ledger.js';
import { perSecond } from '../pace.js';
import type { Sums } from '../scenario.js';

/** The ledger of echoes. */
export const echoBooks: Books = {
  kinds: kindsOf({
    given: ['sent', 'expected', 'stray'],
    merit: ['delivered', 'roundTripsPerSecond'],
    fault: ['unsent', 'lost', 'duplicate', 'late'],
  }),
  sums: [deliverySum],
};

/** The books of echoes: what was sent, what came back, and what the tables of sends lack at the end. */
export function echoLedger({ counts, causes, longestMs }: Sums): Ledger {
  const of = (name: string): number => counts[name] ?? 0;
  return footed(
    echoBooks,
    {
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
    },
    check(of('unsent'), 'unsent', total(causes.unsent), 'the sum over causes'),
  );
}

/** The same in sentences. */
export function echoLedgerLines(entries: LedgerEntries): LedgerLines {
  const { number, of, parts, causes } = readerOf(entries);
  const share = shareOf(number('delivered'), number('expected'));
  return [
    ['sends', `${of('sent')} sent, ${of('unsent')} not sent${causes('unsentByCause')}`],
    ['echoes', `${of('expected')} = ${parts(deliverySum)}  (${share}), ${of('roundTripsPerSecond')} per second`],
    ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
  ];
}
