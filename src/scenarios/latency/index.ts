import { takesNone } from '../broadcasts/first-publishes.js';
import { broadcastFailures, broadcastLedger } from '../broadcasts/ledger.js';
import {
  broadcastDemand,
  broadcastSamples,
  broadcastTimes,
  connectionMetrics,
  connectionSamples,
  deliveryMetrics,
  ofTarget,
  publishMetrics,
  rankedWithLost,
} from '../metrics.js';
import { measured, type Scenario } from '../scenario.js';
import { latencyOptions } from './options.js';

/** How long a broadcast takes to each of N subscribers of one stream, published over HTTP on an open schedule. */
export const latency: Scenario<typeof latencyOptions> = {
  name: 'latency',
  question: 'How long does a broadcast take to reach each subscriber?',
  summary: 'how long a broadcast takes to each of N subscribers, at a fixed rate',
  options: latencyOptions,
  metrics: {
    ...rankedWithLost(deliveryMetrics),
    publishAck: publishMetrics.publishAck,
    publishAckAtLeast: publishMetrics.publishAckAtLeast,
    publishInTarget: ofTarget(
      'the target’s own publish call by its own clock, where it reports one (Server-Timing: publish;dur=…)',
      { isTargetsClock: true },
    ),
    publishLag: publishMetrics.publishLag,
    ...connectionMetrics,
  },
  needs: () => ['subscribe'],
  stages: [
    { name: 'ramp', summary: 'clients connect and subscribe, evenly spaced; each subscription is proven' },
    measured('publish', 'start', 'warm-up, then measured broadcasts, on one open schedule'),
    measured('drain', 'drain', 'what is still under way arrives'),
  ],
  publishes: true,
  slots: {
    stage: 'publish',
    metric: 'delivery',
    atLeast: 'deliveryAtLeast',
    came: 'delivered',
    missing: 'missing',
    share: { part: 'delivered', whole: 'expected' },
    options: ({ rounds, warmUp, roundMs }) => ({ broadcasts: rounds, warmUp, ratePerSecond: 1000 / roundMs }),
  },
  takesNone,
  failures: broadcastFailures,
  demand: (options) => broadcastDemand(options),
  sizes: ['broadcasts', 'subscribers'],
  independentAtMost: (options) => ({
    ...broadcastSamples(options),
    publishInTarget: options.broadcasts,
    ...connectionSamples(options.subscribers),
  }),
  blockTimes: (options) => broadcastTimes(options.broadcasts, options),
  audience: async (context) => new (await import('./audience.js')).LatencyAudience(context),
  publisher: async (context) => new (await import('../broadcasts/publisher.js')).BroadcastPublisher(context),
  ...broadcastLedger,
  headline: [
    { title: 'p50', kind: 'figure', metric: 'delivery', figure: 'p50' },
    { title: 'p99', kind: 'figure', metric: 'delivery', figure: 'p99' },
    { title: 'max', kind: 'figure', metric: 'delivery', figure: 'max' },
    { title: 'p99 from intended', kind: 'figure', metric: 'deliveryFromIntended', figure: 'p99' },
    { title: 'publish ack p50', kind: 'figure', metric: 'publishAck', figure: 'p50' },
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' },
  ],
};
