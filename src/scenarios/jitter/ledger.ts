import { sumOf } from '../../measure/ledger.js';
import { check, countsOf, ledgerOf, total } from '../books.js';
import { recoveredInWords, replayLedger } from '../broadcasts/replay-ledger.js';

const counted = [
  ...['planned', 'drops', 'skipped', 'notDue', 'cuts', 'back'],
  ...['attempts', 'failedAttempts', 'underWay', 'resumes', 'recovered'],
] as const;

const attemptSum = sumOf(['attempts', 'attempts to come back'], {
  back: 'back',
  failedAttempts: 'failed',
  underWay: 'under way',
});

const dropSum = sumOf(['planned', 'drops planned'], {
  drops: ['made', 'good'],
  skipped: 'skipped, the client being away',
  notDue: 'not due',
});

/** The ledger of broadcasts with replays, and every drop with what came of it. */
export const jitterLedger = ledgerOf({
  base: replayLedger,
  kinds: {
    given: ['planned', 'drops', 'skipped', 'notDue', 'attempts', 'underWay', 'resumes'],
    merit: ['back', 'recovered'],
    fault: ['cuts', 'notBack', 'failedAttempts'],
  },
  sums: [...replayLedger.books.sums, attemptSum, dropSum],
  count({ counts, causes, series }) {
    const { entries } = replayLedger.ledger({ counts, series });
    const of = countsOf(counts, counted);
    const { drops = 0, cuts = 0, back = 0 } = of;
    const { close = {}, reconnect = {}, notBack: notBackByCause = {} } = causes;
    const notBack = total(notBackByCause);
    return {
      entries: { ...entries, ...of, ...{ notBack, notBackByCause, cutByCause: close, failedByCause: reconnect } },
      breaks: check(drops + cuts, 'drops + cuts', back + notBack, 'back + notBack'),
    };
  },
  lines: ({ number, of, causes, parts }, entries) => [
    ...replayLedger.ledgerLines(entries),
    ['drops', `${of('planned')} planned = ${parts(dropSum, {}, ['notDue'])}`],
    ...(number('cuts') === 0 ? [] : [['cut', `${of('cuts')} by the target${causes('cutByCause')}`] as const]),
    [
      'returns',
      `${of('back')} back + ${of('notBack')} not${causes('notBackByCause')}${recoveredInWords(entries, 'back')}`,
    ],
    ['reconnects', `${of('attempts')} attempts = ${parts(attemptSum, { failedAttempts: 'failedByCause' })}`],
  ],
});
