import { sumOf } from '../../measure/ledger.js';
import { shareOf } from '../../units/words.js';
import { ledgerOf, none, total } from '../books.js';
import { deliverySum } from '../broadcasts/ledger.js';
import { ofStep } from './deal.js';

const operationSum = sumOf(['sent', 'operations sent'], { answered: 'answered', unanswered: 'unanswered' });

/** Whoever is connected when a step begins should get each of its operations once. Steps count from 1. */
export const stepsLedger = ledgerOf({
  kinds: {
    given: ['sent', 'expected', 'stray'],
    merit: ['answered', 'delivered'],
    fault: ['unsent', 'unanswered', 'lost', 'duplicate', 'late'],
  },
  sums: [deliverySum, operationSum],
  count({ counts, series }) {
    const of = (name: string): number => counts[name] ?? 0;
    const { sent = none, unanswered = none, owed = none, missing = none, members = none } = series;
    const sample = members.length > 0 ? sent.length / members.length : 1;
    const clients: Record<string, number> = {};
    const lostInStep: Record<string, number> = {};
    const unfinished: Record<string, number> = {};
    const independent: Record<string, number> = {};
    let expected = 0;
    let lost = 0;
    sent.forEach((times, n) => {
      if (times === 0) return;
      const step = String(Math.floor(n / sample) + 1);
      clients[step] = members[Number(step) - 1] as number;
      expected += owed[n] as number;
      lost += missing[n] as number;
      lostInStep[step] = (lostInStep[step] ?? 0) + (missing[n] as number);
      const trip = ofStep('roundTrip', Number(step));
      unfinished[trip] = (unfinished[trip] ?? 0) + (unanswered[n] as number);
      const delivery = ofStep('delivery', Number(step));
      independent[delivery] = (independent[delivery] ?? 0) + 1;
    });
    const entries = {
      sent: of('attempted'),
      unsent: of('unsent'),
      answered: of('answered'),
      unanswered: total(unanswered),
      expected,
      delivered: of('received'),
      lost,
      duplicate: of('duplicate') + of('answeredAgain'),
      late: of('late') + of('answeredLate'),
      stray: of('stray') + of('answeredWrongly'),
      clients,
      lostInStep: Object.fromEntries(Object.entries(lostInStep).filter(([, each]) => each > 0)),
    };
    const twice = sent.reduce((sum, times) => sum + (times > 1 ? 1 : 0), 0);
    return { entries, breaks: twice > 0 ? [`${twice} operations were sent twice`] : [], unfinished, independent };
  },
  lines({ number, of, parts }) {
    const share = shareOf(number('delivered'), number('expected'));
    return [
      ['operations', `${of('sent')} = ${parts(operationSum)}, ${of('unsent')} not sent`],
      ['deliveries', `${of('expected')} = ${parts(deliverySum)}  (${share})`],
      ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
    ];
  },
});
