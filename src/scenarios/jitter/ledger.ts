import {
  type Books,
  kindsOf,
  type Ledger,
  type LedgerEntries,
  type LedgerLines,
  type Sum,
  sumOf,
} from '../../measure/ledger.js';
import { check, footed, readerOf, total } from '../books.js';
import { recoveredInWords, replayBooks, replayLedger, replayLedgerLines } from '../broadcasts/replay-ledger.js';
import type { Sums } from '../scenario.js';

const counted = [
  ...['planned', 'drops', 'skipped', 'notDue', 'cuts', 'back'],
  ...['attempts', 'failedAttempts', 'underWay', 'resumes', 'recovered'],
] as const;

const attemptSum: Sum = sumOf(['attempts', 'attempts to come back'], {
  back: 'back',
  failedAttempts: 'failed',
  underWay: 'under way',
});

const dropSum: Sum = sumOf(['planned', 'drops planned'], {
  drops: ['made', 'good'],
  skipped: 'skipped, the client being away',
  notDue: 'not due',
});

/** The ledger of a jitter run. */
export const jitterBooks: Books = {
  kinds: {
    ...replayBooks.kinds,
    ...kindsOf({
      given: ['planned', 'drops', 'skipped', 'notDue', 'attempts', 'underWay', 'resumes'],
      merit: ['back', 'recovered'],
      fault: ['cuts', 'notBack', 'failedAttempts'],
    }),
  },
  sums: [...replayBooks.sums, attemptSum, dropSum],
};

/** The books of broadcasts with replays, and every drop with what came of it. */
export function jitterLedger({ counts, causes, series }: Sums): Ledger {
  const { entries } = replayLedger(counts, series);
  const of = Object.fromEntries(counted.map((name) => [name, counts[name] ?? 0])) as Record<string, number>;
  const { drops = 0, cuts = 0, back = 0 } = of;
  const { close = {}, reconnect = {}, notBack: notBackByCause = {} } = causes;
  const notBack = total(notBackByCause);
  return footed(
    jitterBooks,
    { ...entries, ...of, ...{ notBack, notBackByCause, cutByCause: close, failedByCause: reconnect } },
    check(drops + cuts, 'drops + cuts', back + notBack, 'back + notBack'),
  );
}

/** The same in sentences. */
export function jitterLedgerLines(entries: LedgerEntries): LedgerLines {
  const { number, of, causes, parts } = readerOf(entries);
  return [
    ...replayLedgerLines(entries),
    ['drops', `${of('planned')} planned = ${parts(dropSum, {}, ['notDue'])}`],
    ...(number('cuts') === 0 ? [] : [['cut', `${of('cuts')} by the target${causes('cutByCause')}`] as const]),
    [
      'returns',
      `${of('back')} back + ${of('notBack')} not${causes('notBackByCause')}${recoveredInWords(entries, 'back')}`,
    ],
    ['reconnects', `${of('attempts')} attempts = ${parts(attemptSum, { failedAttempts: 'failedByCause' })}`],
  ];
}
