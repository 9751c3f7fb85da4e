import { causesInWords, count } from '../../units/words.js';
import { recoveredInWords, replayLedger, replayLedgerLines } from '../broadcasts/replay-ledger.js';
import type { Ledger, LedgerEntries, Sums } from '../scenario.js';

const total = (counts: Record<string, number> = {}): number =>
  Object.values(counts).reduce((sum, each) => sum + each, 0);

const counted = [
  ...['planned', 'drops', 'skipped', 'notDue', 'cuts', 'back'],
  ...['attempts', 'failedAttempts', 'underWay', 'blocked', 'resumes', 'recovered'],
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
  const check = (isSound: boolean, words: string): readonly string[] => (isSound ? [] : [words]);
  return {
    entries: {
      ...entries,
      ...of,
      ...{ notBack, notBackByCause, cutByCause: close, failedByCause: reconnect },
    },
    breaks: [
      ...breaks,
      ...check(
        planned === drops + skipped + notDue,
        `planned drops ${planned} are not made + skipped + not due = ${drops + skipped + notDue}`,
      ),
      ...check(
        drops + cuts === back + notBack,
        `drops + cuts ${drops + cuts} are not back + not back = ${back + notBack}`,
      ),
      ...check(
        attempts === back + failedAttempts + underWay,
        `attempts ${attempts} are not back + failed + under way = ${back + failedAttempts + underWay}`,
      ),
    ],
  };
}

/** The same in sentences. */
export function jitterLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const number = (name: string): number => (entries[name] as number | undefined) ?? 0;
  const of = (name: string): string => count(number(name));
  const causes = (name: string): string => {
    const words = causesInWords(entries[name] as Record<string, number> | undefined);
    return words === '' ? '' : ` (${words})`;
  };
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
    ...(number('blocked') === 0
      ? []
      : [['blocked', `${of('blocked')} attempts of a library inside the offline window, cut at once`] as const]),
  ];
}
