import { ledgerSum } from '../../measure/ledger.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import { countText, shareOf } from '../../units/text.js';
import { duration, rate } from '../../units/unit.js';
import {
  attemptSum,
  backSum,
  check,
  countsOf,
  deliveryFailures,
  ledgerOf,
  none,
  recoveredInWords,
  replayLedger,
  total,
} from '../books/ledger.js';
import {
  bracketed,
  broadcastDemand,
  broadcastSamples,
  byAudience,
  deliveredColumn,
  disconnectMetrics,
  keepingLength,
  lostClause,
  ofTarget,
  publishMetrics,
  reconnectMetrics,
  replayedDeliveryMetrics,
  waitMetric,
} from '../metrics.js';
import { spreadInWords, spreadOf, wereCut } from '../roster/returning.js';
import { drain, type FailedDisruption, measured, type Scenario } from '../scenario.js';
import { lastsMs } from '../traffic/schedule.js';
import { type DeployOptions, deployAudience, deployOptions, deployPublisher } from './roles.js';

const counted = [
  ...['subscribers', 'cut', 'neverCut', 'cutAgain', 'cutsBefore', 'proven', 'backUnproven'],
  ...['attempts', 'returns', 'failedAttempts', 'underWay', 'resumes', 'recovered'],
  ...['gaps', 'openGaps', 'unheard'],
  ...['applicationProcesses', 'replacedProcesses', 'replacedTargets', 'redeployMs'],
] as const;

const cutSum = ledgerSum(['subscribers', 'subscribers'], { cut: 'dropped', neverCut: ['never dropped', 'good'] });

const gapSum = ledgerSum(['subscribers', 'gaps, one for each subscriber'], {
  gaps: ['closed', 'good'],
  openGaps: 'still open at the end',
  unheard: 'that never heard any',
});

/** Adds to the ledger of replays the broadcasts that no process took, each drop with its end, and the gaps. */
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
    ledgerSum(['dropped', 'connections dropped'], { returns: ['came back', 'good'], notBack: 'not back' }),
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
      breaks: check(cut, 'cut', (counts.cutBefore ?? 0) + total(cutInMs), 'cut before the order + at some millisecond'),
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
    const spread = entries.firstCutMs === undefined ? '' : spreadInWords(of);
    const again =
      number('cutAgain') === 0 ? '' : `, ${of('cutAgain')} ${number('cutAgain') === 1 ? 'time' : 'times'} again`;
    const unpublished = `${of('unpublished')} broadcasts not taken${causes('unpublishedByCause')}`;
    const back = parts(backSum, { notBack: 'notBackByCause' });
    const attempts = parts(attemptSum, { failedAttempts: 'failedAttemptsByCause' });
    const returns = [
      ['back', `${of('cut')} = ${back}${recoveredInWords(entries, 'returns')}`],
      ['attempts', `${of('attempts')} = ${attempts}`],
    ] as const;
    return [
      ...(number('redeployMs') === 0 ? [] : [['redeploy', `${redeployed}${took}`] as const]),
      ...replayLedger.ledgerLines(entries),
      ['unpublished', `${unpublished}; ${shareOf(number('delivered'), number('wanted'))} of all deliveries arrived`],
      ['connections', `${of('subscribers')} = ${parts(cutSum)}${again}${causes('droppedByCause')}${spread}${before}`],
      ...(number('cut') === 0 ? [] : returns),
      ['gaps', `${of('subscribers')} = ${parts(gapSum, {}, ['unheard'])}`],
    ];
  },
});

const replayed = replayedDeliveryMetrics('returns');

/** Measures the cost of a redeploy of the application: for connected clients and for the broadcasts it publishes. */
export const deploy: Scenario<typeof deployOptions> = {
  name: 'deploy',
  question: 'What does a redeploy of your application cost connected clients?',
  summary:
    'what a redeploy of the application costs N connected clients: connections, broadcasts, and time without any',
  options: deployOptions,
  without: { stages: 'Its clients leave when the application is redeployed, and each of them must come back.' },
  metrics: {
    gap: ofTarget('longest time without a delivery after the redeploy; one interval if nothing was missed', byAudience),
    ...bracketed('offline', 'audience', 'from each cut of a client to its subscription confirmed again'),
    ...reconnectMetrics,
    wait: waitMetric,
    ...disconnectMetrics,
    ...replayed,
    delivery: {
      ...replayed.delivery,
      meaning: `${replayed.delivery.meaning}, by way of the application where it stands alone`,
    },
    ...publishMetrics,
    publishAck: {
      ...publishMetrics.publishAck,
      meaning: 'from the publish request being handed to the socket to the answer, where there was one',
    },
  },
  needs: () => ['subscribe'],
  stages: [
    { name: 'ramp', summary: 'clients connect and subscribe, evenly spaced; each subscription is proven' },
    measured('steady', 'start', 'warm-up, then measured broadcasts on one open schedule, which goes on to its end'),
    measured('redeploy', 'redeploy', 'the application is redeployed while broadcasts go on; cut clients come back'),
    drain('what is still under way or replayed arrives'),
  ],
  disruption: {
    kind: 'redeployApplication',
    gate: 'redeploy',
    signal: ({ endedBy }) => (endedBy === 'kill' ? 'SIGKILL' : 'SIGTERM'),
    redeploy: (options) => ({ ...options, isRolling: options.rollout === 'rolling', leftMs: leftMs(options) }),
    failed,
  },
  contradictions(options) {
    const { broadcasts, ratePerSecond, beforeMs } = options;
    if (leftMs(options) > 0) return [];
    const least = Math.floor((beforeMs * ratePerSecond) / 1000) + 1;
    const asked = `--before ${duration.print(beforeMs)} at --rate ${rate.print(ratePerSecond)}`;
    return [`--broadcasts: expected at least ${least} with ${asked}, received ${broadcasts}`];
  },
  publishes: true,
  demand: (options) => broadcastDemand(options, options.drainMs),
  lasting: keepingLength,
  sizes: ['broadcasts', 'clients'],
  independentAtMost: (options) => ({
    ...broadcastSamples(options),
    ...{ gap: options.clients, disconnect: options.clients },
  }),
  audience: async (context) => deployAudience(context),
  publisher: async (context) => deployPublisher(context),
  failures: deliveryFailures,
  ...deployLedger,
  headline: [
    { title: 'dropped', kind: 'count', entry: 'dropped' },
    { title: 'gap p50', kind: 'figure', metric: 'gap', figure: 'p50' },
    { title: 'gap p99', kind: 'figure', metric: 'gap', figure: 'p99' },
    { title: 'gap max', kind: 'figure', metric: 'gap', figure: 'max' },
    { title: 'lost', kind: 'count', entry: 'lost' },
    { title: 'unpublished', kind: 'count', entry: 'unpublished' },
    deliveredColumn,
  ],
  sentence: ['the redeploy dropped {dropped} of {subscribers} clients', 'their gap took {gap}', lostClause],
};

/** Returns the milliseconds from the planned order to the instant that a further broadcast would be due. */
function leftMs({ broadcasts, ratePerSecond, beforeMs }: DeployOptions): number {
  return lastsMs(broadcasts, ratePerSecond) - beforeMs;
}

/** Returns why nothing shows that the application restarted: its processes if they are ours, or cut clients. */
function failed(counts: Readonly<Record<string, number>>, options: DeployOptions): FailedDisruption | undefined {
  const { application, ratePerSecond } = options;
  const { opened = 0, cut = 0, cutAgain = 0, cutsBefore = 0, unpublishedAfter = 0 } = counts;
  const { applicationProcesses = 0, replacedProcesses = 0, redeployMs = 0, dueAfter = 0 } = counts;
  // The order comes a little later than planned. The rest of the schedule is therefore counted in broadcasts due after
  // it.
  const leftMs = Math.round(lastsMs(dueAfter, ratePerSecond));
  if (redeployMs >= leftMs)
    return {
      code: 'restartOutlasted',
      evidence:
        `the redeploy took ${countText(redeployMs)} ms, ` +
        `the broadcasts ${countText(leftMs)} ms: give more --broadcasts`,
    };
  const unseen = (evidence: string): FailedDisruption => ({ code: 'noRestart', evidence });
  if (applicationProcesses > 0) {
    const processes = `${countText(applicationProcesses)} processes of the application`;
    return replacedProcesses >= applicationProcesses
      ? undefined
      : unseen(`of ${processes} ${countText(replacedProcesses)} were replaced`);
  }
  const cuts = cut + cutAgain - cutsBefore;
  if (wereCut(cuts, opened)) return undefined;
  const notCut = `of ${countText(opened)} clients that were there at the order ${countText(cuts)} were cut`;
  if (application !== 'standalone') return unseen(notCut);
  return unpublishedAfter > 0 ? undefined : unseen(`${notCut}, and no publish was refused or failed`);
}
