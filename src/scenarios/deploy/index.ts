import { duration, rate } from '../../units/list.js';
import { count } from '../../units/words.js';
import { deliveryFailures } from '../broadcasts/ledger.js';
import {
  broadcastDemand,
  broadcastSamples,
  byAudience,
  disconnectMetrics,
  keepingLength,
  offlineMetrics,
  ofTarget,
  publishMetrics,
  reconnectMetrics,
  replayedDeliveryMetrics,
  waitMetric,
} from '../metrics.js';
import { lastsMs } from '../pace.js';
import { wereCut } from '../returns/cuts.js';
import { drain, type FailedDisruption, measured, type Scenario } from '../scenario.js';
import { deployLedger } from './ledger.js';
import { type DeployOptions, deployOptions } from './options.js';

const replayed = replayedDeliveryMetrics('returns');

/** What a redeploy of the application costs connected clients and the broadcasts it publishes. */
export const deploy: Scenario<typeof deployOptions> = {
  name: 'deploy',
  question: 'What does a redeploy of your application cost connected clients?',
  summary:
    'what a redeploy of the application costs N connected clients: connections, broadcasts, and time without any',
  options: deployOptions,
  without: { stages: 'Its clients leave when the application is redeployed, and each of them must come back.' },
  metrics: {
    gap: ofTarget(
      'the longest time a client went without a delivery after the redeploy order; one interval if it missed nothing',
      byAudience,
    ),
    ...offlineMetrics('from each cut of a client to its subscription confirmed again'),
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
    measured(
      'steady',
      'start',
      'warm-up, then measured broadcasts on one open schedule, which goes on to its end from here',
    ),
    measured(
      'redeploy',
      'redeploy',
      'the application is redeployed while broadcasts go on; clients that are cut come back',
    ),
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
  sizes: ['broadcasts', 'subscribers'],
  independentAtMost: (options) => ({
    ...broadcastSamples(options),
    gap: options.subscribers,
    disconnect: options.subscribers,
    disconnectAtLeast: options.subscribers,
  }),
  audience: async (context) => new (await import('./audience.js')).DeployAudience(context),
  publisher: async (context) => new (await import('./publisher.js')).DeployPublisher(context),
  failures: deliveryFailures,
  ...deployLedger,
  headline: [
    { title: 'dropped', kind: 'count', entry: 'dropped' },
    { title: 'gap p50', kind: 'figure', metric: 'gap', figure: 'p50' },
    { title: 'gap p99', kind: 'figure', metric: 'gap', figure: 'p99' },
    { title: 'gap max', kind: 'figure', metric: 'gap', figure: 'max' },
    { title: 'lost', kind: 'count', entry: 'lost' },
    { title: 'unpublished', kind: 'count', entry: 'unpublished' },
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' },
  ],
};

/** From the planned order to the instant that a further broadcast would be due. */
function leftMs({ broadcasts, ratePerSecond, beforeMs }: DeployOptions): number {
  return lastsMs(broadcasts, ratePerSecond) - beforeMs;
}

/** Why nothing shows that the application restarted: a managed standalone one by its processes, else by cut clients. */
function failed(counts: Readonly<Record<string, number>>, options: DeployOptions): FailedDisruption | undefined {
  const { application, ratePerSecond } = options;
  const { opened = 0, cut = 0, cutAgain = 0, cutsBefore = 0, unpublishedAfter = 0 } = counts;
  const { applicationProcesses = 0, replacedProcesses = 0, redeployMs = 0, dueAfter = 0 } = counts;
  // The order comes a little later than it was planned: what is left of the schedule is what was due after it.
  const leftMs = Math.round(lastsMs(dueAfter, ratePerSecond));
  if (redeployMs >= leftMs)
    return {
      code: 'restartOutlasted',
      evidence: `the redeploy took ${count(redeployMs)} ms, the broadcasts ${count(leftMs)} ms: give more --broadcasts`,
    };
  const unseen = (evidence: string): FailedDisruption => ({ code: 'noRestart', evidence });
  if (applicationProcesses > 0)
    return replacedProcesses >= applicationProcesses
      ? undefined
      : unseen(
          `of ${count(applicationProcesses)} processes of the application ${count(replacedProcesses)} were replaced`,
        );
  const cuts = cut + cutAgain - cutsBefore;
  if (wereCut(cuts, opened)) return undefined;
  const notCut = `of ${count(opened)} clients that were there at the order ${count(cuts)} were cut`;
  if (application !== 'standalone') return unseen(notCut);
  return unpublishedAfter > 0 ? undefined : unseen(`${notCut}, and no publish was refused or failed`);
}
