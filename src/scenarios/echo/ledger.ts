import { shareOf } from '../../units/words.js';
import { check, ledgerOf, total } from '../books.js';
import { deliverySum } from '../broadcasts/ledger.js';
import { perSecond } from '../pace.js';
import { countVisits, visitBooks, visitLines } from '../visits/ledger.js';

/** The ledger of echoes: what was sent, what came back, and what the tables of sends lack at the end. */
export const echoLedger = ledgerOf({
  base: { books: visitBooks },
  kinds: {
    given: ['sent', 'expected', 'stray', 'proofs'],
    merit: ['delivered', 'roundTripsPerSecond'],
    fault: ['unsent', 'lost', 'duplicate', 'late', 'proofsLost'],
  },
  sums: [deliverySum, ...visitBooks.sums],
  count({ counts, causes, longestMs }) {
    const visits = countVisits({ counts, causes });
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
      proofs: of('proofs'),
      proofsLost: of('proofsLost'),
      roundTripsPerSecond: perSecond(of('received'), longestMs?.answers),
      ...visits.entries,
    };
    const unsent = check(of('unsent'), 'unsent', total(causes.unsent), 'the sum over causes');
    return { entries, breaks: [...unsent, ...visits.breaks] };
  },
  lines(reader, entries) {
    const { number, of, parts, causes } = reader;
    const share = shareOf(number('delivered'), number('expected'));
    return [
      ['sends', `${of('sent')} sent, ${of('unsent')} not sent${causes('unsentByCause')}`],
      ['echoes', `${of('expected')} = ${parts(deliverySum)}  (${share}), ${of('roundTripsPerSecond')} per second`],
      ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
      ...(number('proofsLost') === 0
        ? []
        : ([['first echoes', `${of('proofs')} asked for, ${of('proofsLost')} lost`]] as const)),
      ...visitLines(reader, entries),
    ];
  },
});
