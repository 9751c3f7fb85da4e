import { shareOf } from '../../units/words.js';
import { check, ledgerOf, none, total } from '../books.js';
import { deliverySum } from '../broadcasts/ledger.js';
import { perSecond } from '../pace.js';

/** From three independent sources, all by sender: sends, counted deliveries, and the bit tables. */
export const whisperLedger = ledgerOf({
  kinds: {
    given: ['sent', 'expected', 'stray', 'untimed'],
    merit: ['delivered', 'deliveriesPerSecond'],
    fault: ['unsent', 'lost', 'duplicate', 'late'],
  },
  sums: [deliverySum],
  count({ counts, causes, series, longestMs }) {
    const { sends = none, peers = none, heard = none, marked = none } = series;
    const owedBy = (sender: number): number => (sends[sender] as number) * (peers[sender] ?? 0);
    let expected = 0;
    let lost = 0;
    sends.forEach((_, sender) => {
      expected += owedBy(sender);
      lost += owedBy(sender) - (marked[sender] ?? 0);
    });
    const entries = {
      sent: counts.attempted ?? 0,
      unsent: counts.unsent ?? 0,
      unsentByCause: causes.unsent ?? {},
      expected,
      delivered: total(heard),
      lost,
      duplicate: counts.duplicate ?? 0,
      late: counts.late ?? 0,
      stray: counts.stray ?? 0,
      untimed: counts.untimed ?? 0,
      deliveriesPerSecond: perSecond(total(heard), longestMs?.deliveries),
    };
    const breaks = [
      ...check(entries.unsent, 'unsent', total(entries.unsentByCause), 'the sum over causes'),
      ...check(entries.sent, 'sent', total(sends), 'the sum over senders'),
    ];
    return { entries, breaks };
  },
  lines({ number, of, parts, causes }) {
    const share = shareOf(number('delivered'), number('expected'));
    return [
      ['whispers', `${of('sent')} sent, ${of('unsent')} not sent${causes('unsentByCause')}`],
      ['deliveries', `${of('expected')} = ${parts(deliverySum)}  (${share}), ${of('deliveriesPerSecond')} per second`],
      ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
      ['untimed', `${of('untimed')} deliveries between workers: counted, not timed`],
    ];
  },
});
