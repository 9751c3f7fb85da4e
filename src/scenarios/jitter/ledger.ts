import { check, readerOf, total } from '../books.js';
import { recoveredInWords, replayLedger, replayLedgerLines } from '../broadcasts/replay-ledger.js';
import type { Ledger, LedgerEntries, Sums } from '../scenario.js';

const counted = [
  ...['planned', 'drops', 'skipped', 'notDue', 'cuts', 'back'],
  ...['attempts', 'failedAttempts', 'underWay', 'resumes', 'recovered'],
] as const;

/**
 * The books of broadcasts to subscribers that lose their network: to those of subscribers that come back comes every drop with what became of it.
 */
export function jitterLedger({ counts, causes, series }: Sums): Ledger {
  const { entries, breaks } = replayLedger(counts, series);
  const of = Object.fromEntries(counted.map((name) => [name, counts[name] ?? 0])) as Record<string, number>;
  const { planned = 0, drops = 0, skipped = 0, notDue = 0, cuts = 0, back = 0 } = of;
  const { attempts = 0, failedAttempts = 0, underWay = 0 } = of;
  const { close = {}, reconnect = {}, notBack: notBackByCause = {} } = causes;
  const notBack = total(notBackByCause);
  return {
    entries: {
      ...entries,
      ...of,
      ...{ notBack, notBackByCause, cutByCause: close, failedByCause: reconnect },
    },
    breaks: [
      ...breaks,
      ...check(planned, 'planned drops', drops + skipped + notDue, 'made + skipped + not due'),
      ...check(drops + cuts, 'drops + cuts', back + notBack, 'back + not back'),
      ...check(attempts, 'attempts', back + failedAttempts + underWay, 'back + failed + under way'),
    ],
  };
}

/** The same in sentences. */
export function jitterLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const { number, of, causes } = readerOf(entries);
  const notDue = number('notDue') === 0 ? '' : ` + ${of('notDue')} not due`;
  return [
    ...replayLedgerLines(entries),
    [
      'drops',
      `${of('planned')} planned = ${of('drops')} made + ${of('skipped')} skipped, the client being away${notDue}`,
    ],
    ...(number('cuts') === 0 ? [] : [['cut', `${of('cuts')} by the target${causes('cutByCause')}`] as const]),
    [
      'returns',
      `${of('back')} back + ${of('notBack')} not${causes('notBackByCause')}${recoveredInWords(entries, 'back')}`,
    ],
    [
      'reconnects',
      `${of('attempts')} attempts = ${of('back')} back + ${of('failedAttempts')} failed + ${of('underWay')} under way${causes('failedByCause')}`,
    ],
  ];
}
