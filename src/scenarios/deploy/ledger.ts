import { sumCounts } from '../../measure/sums.js';
import { shareOf } from '../../units/words.js';
import { check, readerOf, total } from '../books.js';
import { recoveredInWords, replayLedger, replayLedgerLines } from '../broadcasts/replay-ledger.js';
import { spreadOf } from '../returns/spread.js';
import type { Ledger, LedgerEntries, Sums } from '../scenario.js';

const none = new Uint32Array(0);

const counted = [
  ...['subscribers', 'cut', 'neverCut', 'cutAgain', 'cutsBefore', 'proven', 'backUnproven'],
  ...['attempts', 'returns', 'failedAttempts', 'underWay', 'resumes', 'recovered'],
  ...['gaps', 'openGaps', 'unheard'],
  ...['applicationProcesses', 'replacedProcesses', 'replacedTargets', 'redeployMs'],
] as const;

/**
 * The books of a redeploy. To those of broadcasts to subscribers that come back come: broadcasts that no user got because nobody took them; every connection
 * that was dropped with what became of its client; and one gap for each client.
 */
export function deployLedger({ counts, causes, series }: Sums): Ledger {
  const { entries, breaks } = replayLedger(counts, series);
  const of = Object.fromEntries(counted.map((name) => [name, counts[name] ?? 0])) as Record<string, number>;
  const { subscribers = 0, cut = 0, neverCut = 0, cutAgain = 0, proven = 0, backUnproven = 0 } = of;
  const { attempts = 0, returns = 0, failedAttempts = 0, underWay = 0, gaps = 0, openGaps = 0, unheard = 0 } = of;
  const { refused = 0, failed = 0, attempted = 0 } = entries as Record<string, number>;
  const notBackByCause = causes.notBack ?? {};
  const notBack = total(notBackByCause);
  const { cutInMs = none } = series;
  return {
    entries: {
      ...entries,
      ...of,
      unpublished: refused + failed,
      wanted: attempted * subscribers,
      dropped: cut + cutAgain,
      droppedByCause: sumCounts([causes.cut ?? {}, causes.cutAgain ?? {}]),
      ...{ back: proven + backUnproven, notBack, notBackByCause },
      failedAttemptsByCause: causes.attempt ?? {},
      unpublishedByCause: causes.publish ?? {},
      ...spreadOf(cutInMs),
    },
    breaks: [
      ...breaks,
      ...check(subscribers, 'subscribers', cut + neverCut, 'dropped + never dropped'),
      ...check(cut, 'clients dropped', proven + backUnproven + notBack, 'proven + back unproven + not back'),
      ...check(cut + cutAgain, 'connections dropped', returns + notBack, 'returns + not back'),
      ...check(attempts, 'attempts', returns + failedAttempts + underWay, 'returns + failed + under way'),
      ...check(
        cut,
        'clients dropped',
        (counts.cutBefore ?? 0) + total(cutInMs),
        'those dropped before the order + at some millisecond after it',
      ),
      ...check(subscribers, 'subscribers', gaps + openGaps + unheard, 'closed gaps + open gaps + unheard'),
    ],
  };
}

/** The same in sentences. */
export function deployLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const { number, of, causes } = readerOf(entries);
  const processes = (name: string): string => `${of(name)} ${number(name) === 1 ? 'process' : 'processes'}`;
  const took = `; done ${of('redeployMs')} ms after the order`;
  const redeployed =
    number('applicationProcesses') > 0
      ? `${of('replacedProcesses')} of ${processes('applicationProcesses')} of a standalone application replaced`
      : number('replacedTargets') > 0
        ? `${processes('replacedTargets')} of the target replaced, the application in it`
        : 'ordered of whoever owns the application';
  const before = number('cutsBefore') === 0 ? '' : `; ${of('cutsBefore')} of the drops before the order`;
  const spread =
    entries.firstCutMs === undefined
      ? ''
      : `; the first ${of('firstCutMs')} ms after the order, the last ${of('lastCutMs')} ms`;
  const again =
    number('cutAgain') === 0 ? '' : `, ${of('cutAgain')} ${number('cutAgain') === 1 ? 'time' : 'times'} again`;
  const unheard = number('unheard') === 0 ? '' : ` + ${of('unheard')} that never heard any`;
  return [
    ...(number('redeployMs') === 0 ? [] : [['redeploy', `${redeployed}${took}`] as const]),
    ...replayLedgerLines(entries),
    [
      'unpublished',
      `${of('unpublished')} broadcasts that nobody took${causes('unpublishedByCause')}; ${shareOf(number('delivered'), number('wanted'))} of all that were wanted reached their users`,
    ],
    [
      'connections',
      `${of('subscribers')} = ${of('cut')} dropped + ${of('neverCut')} never dropped${again}${causes('droppedByCause')}${spread}${before}`,
    ],
    ...(number('cut') === 0
      ? []
      : [
          [
            'back',
            `${of('cut')} = ${of('proven')} proven by a delivery + ${of('backUnproven')} back without one + ${of('notBack')} not back${causes('notBackByCause')}${recoveredInWords(entries, 'returns')}`,
          ] as const,
          [
            'attempts',
            `${of('attempts')} = ${of('returns')} came back + ${of('failedAttempts')} failed${causes('failedAttemptsByCause')} + ${of('underWay')} under way`,
          ] as const,
        ]),
    ['gaps', `${of('subscribers')} = ${of('gaps')} closed + ${of('openGaps')} still open at the end${unheard}`],
  ];
}
