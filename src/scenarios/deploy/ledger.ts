import { sumOf } from '../../measure/ledger.js';
import { sumCounts } from '../../measure/samples/sums.js';
import { shareOf } from '../../units/words.js';
import { attemptSum, backSum, check, countsOf, ledgerOf, none, total } from '../books.js';
import { recoveredInWords, replayLedger } from '../broadcasts/replay-ledger.js';
import { spreadOf } from '../returns/cuts.js';

const counted = [
  ...['subscribers', 'cut', 'neverCut', 'cutAgain', 'cutsBefore', 'proven', 'backUnproven'],
  ...['attempts', 'returns', 'failedAttempts', 'underWay', 'resumes', 'recovered'],
  ...['gaps', 'openGaps', 'unheard'],
  ...['applicationProcesses', 'replacedProcesses', 'replacedTargets', 'redeployMs'],
] as const;

const cutSum = sumOf(['subscribers', 'subscribers'], { cut: 'dropped', neverCut: ['never dropped', 'good'] });

const gapSum = sumOf(['subscribers', 'gaps, one for each subscriber'], {
  gaps: ['closed', 'good'],
  openGaps: 'still open at the end',
  unheard: 'that never heard any',
});

/** The ledger of broadcasts with replays, with those that no process took, each drop with its end, and the gaps. */
export const deployLedger = ledgerOf({
  base: replayLedger,
  kinds: {
    given: [
      ...['subscribers', 'wanted', 'applicationProcesses', 'replacedProcesses', 'replacedTargets', 'gaps'],
      ...['cut', 'neverCut', 'firstCutMs', 'lastCutMs', 'attempts', 'returns', 'underWay', 'resumes'],
    ],
    merit: ['proven', 'back', 'recovered'],
    burden: ['redeployMs'],
    fault: [
      ...['notBack', 'backUnproven', 'cutAgain', 'cutsBefore', 'dropped', 'failedAttempts'],
      ...['unpublished', 'openGaps', 'unheard'],
    ],
  },
  sums: [
    ...replayLedger.books.sums,
    cutSum,
    backSum,
    sumOf(['dropped', 'connections dropped'], { returns: ['came back', 'good'], notBack: 'not back' }),
    attemptSum,
    gapSum,
  ],
  count({ counts, causes, series }) {
    const { entries } = replayLedger.ledger({ counts, series });
    const of = countsOf(counts, counted);
    const { subscribers = 0, cut = 0, cutAgain = 0, proven = 0, backUnproven = 0 } = of;
    const { refused = 0, failed = 0, attempted = 0 } = entries as Record<string, number>;
    const notBackByCause = causes.notBack ?? {};
    const { cutInMs = none } = series;
    return {
      entries: {
        ...entries,
        ...of,
        unpublished: refused + failed,
        wanted: attempted * subscribers,
        dropped: cut + cutAgain,
        droppedByCause: sumCounts([causes.cut ?? {}, causes.cutAgain ?? {}]),
        ...{ back: proven + backUnproven, notBack: total(notBackByCause), notBackByCause },
        failedAttemptsByCause: causes.attempt ?? {},
        unpublishedByCause: causes.publish ?? {},
        ...spreadOf(cutInMs),
      },
      breaks: check(
        cut,
        'cut',
        (counts.cutBefore ?? 0) + total(cutInMs),
        'cut before the order + cut at some millisecond after it',
      ),
    };
  },
  lines({ number, of, causes, parts }, entries) {
    const processes = (name: string): string => `${of(name)} ${number(name) === 1 ? 'process' : 'processes'}`;
    const took = `; done ${of('redeployMs')} ms after the order`;
    const redeployed =
      number('applicationProcesses') > 0
        ? `${of('replacedProcesses')} of ${processes('applicationProcesses')} of a standalone application replaced`
        : number('replacedTargets') > 0
          ? `${processes('replacedTargets')} of the target replaced, the application in it`
          : 'requested from the owner of the application';
    const before = number('cutsBefore') === 0 ? '' : `; ${of('cutsBefore')} of the drops before the order`;
    const spread =
      entries.firstCutMs === undefined
        ? ''
        : `; the first ${of('firstCutMs')} ms after the order, the last ${of('lastCutMs')} ms`;
    const again =
      number('cutAgain') === 0 ? '' : `, ${of('cutAgain')} ${number('cutAgain') === 1 ? 'time' : 'times'} again`;
    const unpublished = `${of('unpublished')} broadcasts not taken${causes('unpublishedByCause')}`;
    return [
      ...(number('redeployMs') === 0 ? [] : [['redeploy', `${redeployed}${took}`] as const]),
      ...replayLedger.ledgerLines(entries),
      ['unpublished', `${unpublished}; ${shareOf(number('delivered'), number('wanted'))} of all deliveries arrived`],
      ['connections', `${of('subscribers')} = ${parts(cutSum)}${again}${causes('droppedByCause')}${spread}${before}`],
      ...(number('cut') === 0
        ? []
        : [
            [
              'back',
              `${of('cut')} = ${parts(backSum, { notBack: 'notBackByCause' })}${recoveredInWords(entries, 'returns')}`,
            ] as const,
            [
              'attempts',
              `${of('attempts')} = ${parts(attemptSum, { failedAttempts: 'failedAttemptsByCause' })}`,
            ] as const,
          ]),
      ['gaps', `${of('subscribers')} = ${parts(gapSum, {}, ['unheard'])}`],
    ];
  },
});
