import { sumOf } from '../../measure/ledger.js';
import { shareOf } from '../../units/words.js';
import { check, countsOf, ledgerOf, none, total } from '../books.js';
import { deliverySum } from '../broadcasts/ledger.js';
import { ofStep } from '../steps/deal.js';

const arrivalSum = sumOf(['arrivals', 'arrivals planned'], {
  playersStayed: ['played to the end', 'good'],
  playersCut: 'cut by the target',
  arrivalsFailed: 'failed',
  arrivalsUnready: 'under way at the end',
  arrivalsNotDue: 'not due',
});

const pingSum = sumOf(['pings', 'pings sent'], { answered: 'answered', unanswered: 'unanswered' });

const counted = [
  'arrivals',
  ...arrivalSum.parts.map(([part]) => part),
  'pings',
  'pingsUnsent',
  'answered',
  'unsent',
  'deadWorkers',
];
const beside = ['duplicate', 'late', 'stray', 'untimed'] as const;

/** A series by hundreds of clients as counts by the number of clients. */
function byClients(series: Uint32Array): Record<string, number> {
  return Object.fromEntries([...series].map((count, hundred) => [`${(hundred + 1) * 100}`, count]));
}

/** What was owed by room: its keys times its players. Counted as it came, and once more from the bits. */
export const gameLedger = ledgerOf({
  kinds: {
    given: ['typed', 'expected', 'arrivals', 'arrivalsNotDue', 'arrivalsUnready', 'pings', 'stray', 'untimed'],
    merit: ['delivered', 'playersStayed', 'answered'],
    fault: [
      'lost',
      'unsent',
      'playersCut',
      'arrivalsFailed',
      'unanswered',
      'pingsUnsent',
      'duplicate',
      'late',
      'deadWorkers',
    ],
  },
  sums: [deliverySum, arrivalSum, pingSum],
  count({ counts, causes, series }) {
    const { players = none, typed = none, heard = none, marked = none } = series;
    const { playingAt = none, heardAt = none, pingsAt = none, answeredAt = none } = series;
    const of = countsOf(counts, counted);
    const { playersStayed = 0, playersCut = 0, pings = 0, answered = 0, arrivalsFailed = 0, unsent = 0 } = of;
    const expected = typed.reduce((sum, keys, room) => sum + keys * (players[room] as number), 0);
    const entries = {
      typed: counts.attempted ?? 0,
      expected,
      delivered: total(heard),
      lost: expected - total(marked),
      ...of,
      unanswered: pings - answered,
      ...countsOf(counts, beside),
      unsentByCause: causes.unsent ?? {},
      arrivalsFailedByCause: causes.arrive ?? {},
      playersCutByCause: causes.close ?? {},
      playingAt: byClients(playingAt),
      heardAt: byClients(heardAt),
      unansweredAt: byClients(pingsAt.map((sent, hundred) => sent - (answeredAt[hundred] as number))),
    };
    const breaks = [
      ...check(entries.typed, 'typed', total(typed), 'the sum over rooms'),
      ...check(counts.arrived ?? 0, 'arrived', playersStayed + playersCut, 'playersStayed + playersCut'),
      ...check(unsent, 'unsent', total(causes.unsent), 'the sum over causes'),
      ...check(arrivalsFailed, 'arrivalsFailed', total(causes.arrive), 'the sum of its causes'),
      ...check(total(heard), 'heard', total(heardAt), 'the sum over hundreds'),
    ];
    const unfinished = Object.fromEntries(
      Object.values(entries.unansweredAt).flatMap((missing, n) =>
        ['ping', 'pingAtLeast'].map((metric) => [ofStep(metric, n + 1), missing]),
      ),
    );
    return { entries, breaks, unfinished };
  },
  lines({ number, of, parts, causes }) {
    const byCause = { playersCut: 'playersCutByCause', arrivalsFailed: 'arrivalsFailedByCause' };
    const quiet = ['playersCut', 'arrivalsFailed', 'arrivalsUnready', 'arrivalsNotDue'];
    return [
      ['arrivals', `${of('arrivals')} planned = ${parts(arrivalSum, byCause, quiet)}`],
      ['keys', `${of('typed')} typed, ${of('unsent')} not sent${causes('unsentByCause')}`],
      [
        'deliveries',
        `${of('expected')} = ${parts(deliverySum)}  (${shareOf(number('delivered'), number('expected'))})`,
      ],
      ['pings', `${of('pings')} = ${parts(pingSum)}; ${of('pingsUnsent')} not sent`],
      ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
      ['untimed', `${of('untimed')} deliveries between workers: counted, not timed`],
    ];
  },
});
