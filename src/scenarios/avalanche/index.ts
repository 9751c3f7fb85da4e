import { count } from '../../units/words.js';
import {
  byAudience,
  connectionMetrics,
  connectionSamples,
  disconnectMetrics,
  leastOf,
  offlineMetrics,
  ofTarget,
  publishMetrics,
  waitMetric,
} from '../metrics.js';
import { lastsMs } from '../pace.js';
import { wereCut } from '../returns/cuts.js';
import { drain, measured, type Scenario } from '../scenario.js';
import { avalancheLedger } from './ledger.js';
import { avalancheOptions } from './options.js';

/** They rank behind all that are back. */
const notBack = { unfinished: ['backUnproven', 'notBack'] };

/** How a target is come back to after a restart under N clients, and how long that takes to the last of them. */
export const avalanche: Scenario<typeof avalancheOptions> = {
  name: 'avalanche',
  question: 'How long do all clients take to come back after a restart?',
  summary: 'how long N clients take to be back, proven by a broadcast, after their target was restarted',
  options: avalancheOptions,
  without: { stages: 'Its clients leave when the target restarts, and each of them must come back.' },
  metrics: {
    backAfter: ofTarget(
      'from the restart order to the first delivery after a client’s last return; covers clients that are not back',
      { ...byAudience, ...notBack, atLeast: 'backAfterAtLeast' },
    ),
    backAfterAtLeast: leastOf('back after', notBack),
    back: ofTarget('clients proven back: from the first cut to the first delivery after the last return', {
      ...byAudience,
      atLeast: 'backAtLeast',
    }),
    backAtLeast: leastOf('back'),
    ...offlineMetrics('clients that are back: from the first cut to the subscription confirmed again'),
    ...disconnectMetrics,
    wait: waitMetric,
    ...connectionMetrics,
    connect: { ...connectionMetrics.connect, meaning: `in the ramp: ${connectionMetrics.connect.meaning}` },
    subscribe: { ...connectionMetrics.subscribe, meaning: `in the ramp: ${connectionMetrics.subscribe.meaning}` },
    ...publishMetrics,
    publishAck: {
      ...publishMetrics.publishAck,
      meaning: 'after the order: from the publish request to the target’s answer, where there was one',
    },
  },
  needs: () => ['subscribe'],
  stages: [
    { name: 'ramp', summary: 'clients connect and subscribe, evenly spaced; each subscription is confirmed' },
    { name: 'calm', gate: 'start', summary: 'a few broadcasts prove every client' },
    measured(
      'storm',
      'restart',
      'the target restarts; cut clients come back while broadcasts go on, until all are proven or time is over',
    ),
    drain('publishes under way are answered'),
  ],
  disruption: {
    kind: 'restartTarget',
    gate: 'restart',
    signal: ({ endedBy }) => (endedBy === 'kill' ? 'SIGKILL' : 'SIGTERM'),
    failed({ cut = 0, cutBefore = 0, opened = 0 }) {
      const cutAfter = cut - cutBefore;
      if (wereCut(cutAfter, opened)) return undefined;
      const evidence = `of ${count(opened)} clients that were there at the order ${count(cutAfter)} were cut`;
      return { code: 'noRestart', evidence };
    },
  },
  publishes: true,
  demand(options) {
    const { calmBroadcasts, calmWithinMs, deadlineMs, ratePerSecond } = options;
    const rampMs = lastsMs(options.subscribers, options.rampRatePerSecond);
    const calmMs = lastsMs(calmBroadcasts, ratePerSecond) + calmWithinMs;
    return {
      clients: options.subscribers,
      publishesPerSecond: ratePerSecond,
      payloadBytes: options.payloadBytes,
      broadcasts: calmBroadcasts + Math.max(1, Math.ceil((ratePerSecond * deadlineMs) / 1000)),
      durationMs: rampMs + calmMs + deadlineMs,
    };
  },
  sizes: ['subscribers'],
  independentAtMost: ({ subscribers }) => ({
    backAfter: subscribers,
    backAfterAtLeast: subscribers,
    back: subscribers,
    backAtLeast: subscribers,
    offline: subscribers,
    offlineAtLeast: subscribers,
    disconnect: subscribers,
    disconnectAtLeast: subscribers,
    ...connectionSamples(subscribers),
  }),
  audience: async (context) => new (await import('./audience.js')).AvalancheAudience(context),
  publisher: async (context) => new (await import('./publisher.js')).AvalanchePublisher(context),
  failures: { nothing: [{ got: 'proven', missing: ['backUnproven', 'notBack'] }] },
  ...avalancheLedger,
  headline: [
    { title: 'to 50 %', kind: 'figure', metric: 'backAfter', figure: 'p50' },
    { title: 'to 95 %', kind: 'figure', metric: 'backAfter', figure: 'p95' },
    { title: 'to 100 %', kind: 'figure', metric: 'backAfter', figure: 'max' },
    { title: 'proven back', kind: 'share', part: 'proven', whole: 'cut' },
    { title: 'cut p99', kind: 'figure', metric: 'disconnect', figure: 'p99' },
  ],
};
