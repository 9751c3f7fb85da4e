import type { z } from 'zod';
import { count } from '../../units/words.js';
import { publishMetrics } from '../broadcasts/publisher.js';
import { dueAtNs } from '../pace.js';
import { wereCut } from '../returns/were-cut.js';
import type { FailedDisruption, Scenario } from '../scenario.js';
import { DeployAudience } from './audience.js';
import { deployLedger, deployLedgerLines } from './ledger.js';
import { deployOptions } from './options.js';
import { DeployPublisher } from './publisher.js';

export type DeployOptions = z.output<typeof deployOptions>;

/** What a redeploy of the application costs the clients that are connected when it happens, and the broadcasts that it publishes. */
export const deploy: Scenario<typeof deployOptions> = {
  name: 'deploy',
  summary:
    'what a redeploy of the application costs N connected clients: connections, broadcasts, and time without any',
  options: deployOptions,
  metrics: {
    gap: {
      kind: 'distribution',
      unit: 'us',
      of: 'target',
      stampedBy: 'audience',
      meaning:
        'of each client, the longest time without a delivery that was not over at the order to redeploy: the interval of the schedule where nothing was missed; one that never ended counts with what it had taken when the broadcasts were over',
    },
    offline: {
      kind: 'distribution',
      unit: 'us',
      of: 'target',
      stampedBy: 'audience',
      meaning: 'from each cut of a client to its subscription confirmed again, waits between attempts included',
    },
    reconnect: {
      kind: 'distribution',
      unit: 'us',
      of: 'target',
      stampedBy: 'audience',
      meaning: 'from the start of the attempt that brought a client back to its subscription confirmed again',
    },
    disconnect: {
      kind: 'distribution',
      unit: 'us',
      of: 'target',
      stampedBy: 'audience',
      meaning: 'from the order to redeploy to the first cut of a client',
    },
    delivery: {
      kind: 'distribution',
      unit: 'us',
      of: 'target',
      meaning:
        'of live deliveries: from the publish request being handed to the socket to the frame being taken off the subscriber’s socket, by way of the application where it stands alone',
    },
    deliveryFromIntended: {
      kind: 'distribution',
      unit: 'us',
      of: 'target',
      meaning: 'the same from the instant the schedule wanted the publish: what a user feels when the target stalls',
    },
    deliveryAtLeast: {
      kind: 'distribution',
      unit: 'us',
      of: 'rig',
      meaning:
        'delivery without the time that frames may have waited in the rig: the truth lies between this and delivery',
    },
    replayed: {
      kind: 'distribution',
      unit: 'us',
      of: 'target',
      stampedBy: 'audience',
      meaning:
        'from the publish to the delivery of what the target had taken before the subscriber began to come back: its absence included',
    },
    publishAck: {
      ...publishMetrics.publishAck,
      meaning: 'from the publish request being handed to the socket to the answer, where there was one',
    },
    publishLag: publishMetrics.publishLag,
  },
  needs: () => ['subscribe'],
  stages: [
    { name: 'ramp', summary: 'clients connect and subscribe, evenly spaced; each subscription is proven' },
    {
      name: 'steady',
      gate: 'start',
      isMeasured: true,
      summary: 'warm-up, then measured broadcasts on one open schedule, which goes on to its end from here',
    },
    {
      name: 'redeploy',
      gate: 'redeploy',
      isMeasured: true,
      summary: 'the application is redeployed while broadcasts go on; clients that are cut come back',
    },
    { name: 'drain', gate: 'drain', isMeasured: true, summary: 'what is still under way or replayed arrives' },
  ],
  disruption: {
    kind: 'redeployApplication',
    gate: 'redeploy',
    signal: ({ endedBy }) => (endedBy === 'kill' ? 'SIGKILL' : 'SIGTERM'),
    redeploy: ({ application, applicationNodes, rollout, pauseMs, downMs }) => ({
      application,
      nodes: applicationNodes,
      isRolling: rollout === 'rolling',
      pauseMs,
      downMs,
    }),
    failed,
  },
  publishes: true,
  readyCount: 'subscribers',
  readyShare: 0.99,
  demand(options) {
    const broadcasts = options.warmUp + options.broadcasts;
    const rampMs = (options.subscribers / options.rampRatePerSecond) * 1000;
    return {
      clients: options.subscribers,
      publishesPerSecond: options.ratePerSecond,
      payloadBytes: options.payloadBytes,
      broadcasts,
      durationMs: rampMs + dueAtNs(broadcasts, options.ratePerSecond) / 1e6 + 2 * options.drainMs,
    };
  },
  audience: (context) => new DeployAudience(context),
  publisher: (context) => new DeployPublisher(context),
  ledger: deployLedger,
  ledgerLines: deployLedgerLines,
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

/**
 * An application of ours that stands alone is seen by its process numbers, which the driver read of it before and after; one that lives in the target by
 * the cuts of its clients; one that was brought and stands alone by the publishes that found nobody.
 */
function failed(counts: Readonly<Record<string, number>>, options: DeployOptions): FailedDisruption | undefined {
  const { application, broadcasts, ratePerSecond, beforeMs } = options;
  const { opened = 0, cut = 0, cutAgain = 0, cutsBefore = 0, replacedNodes = 0, nodes = 0, redeployMs = 0 } = counts;
  const { unpublishedAfter = 0 } = counts;
  const leftMs = Math.max(0, dueAtNs(broadcasts, ratePerSecond) / 1e6 - beforeMs);
  if (redeployMs >= leftMs)
    return {
      code: 'restartOutlasted',
      evidence: `the redeploy took ${count(redeployMs)} ms, and broadcasts went on for ${count(leftMs)} ms after its order: give more --broadcasts`,
    };
  const unseen = (evidence: string): FailedDisruption => ({ code: 'noRestart', evidence });
  if (nodes > 0)
    return replacedNodes >= nodes
      ? undefined
      : unseen(`of ${count(nodes)} processes of the application ${count(replacedNodes)} were replaced`);
  const cuts = cut + cutAgain - cutsBefore;
  if (wereCut(cuts, opened)) return undefined;
  const notCut = `of ${count(opened)} clients that were there at the order ${count(cuts)} were cut`;
  if (application !== 'standalone') return unseen(notCut);
  return unpublishedAfter > 0 ? undefined : unseen(`${notCut}, and no publish was refused or failed`);
}
