import type { Verb } from '../../protocols/protocol.js';
import { takesNone } from '../broadcasts/first-publishes.js';
import { broadcastFailures } from '../broadcasts/ledger.js';
import { latency } from '../latency.js';
import {
  arrivalMetrics,
  arrivalSamples,
  broadcastMetrics,
  broadcastTimes,
  broadcastWork,
  byAudience,
  ofTarget,
  publishedSamples,
  publishMetrics,
} from '../metrics.js';
import { eventsIn } from '../pace.js';
import type { Scenario } from '../scenario.js';
import { arrivingOf } from '../visits/options.js';
import { keepingUp } from './keeping-up.js';
import { backlogOf, throughputLedger } from './ledger.js';
import {
  broadcastsOf,
  isInBatches,
  publishingClients,
  stagesRefused,
  type ThroughputOptions,
  throughputOptions,
} from './options.js';

const counted = 'deliveries are counted, but neither timed nor ordered';

const notes: Partial<Record<ThroughputOptions['publish'], string>> = {
  batches: `publishes left in batches, one request each; ${counted}`,
  'in-process': `a diagnostic: the target published by itself, in batches; ${counted}`,
};

const verbs: Partial<Record<ThroughputOptions['publish'], Verb>> = { batches: 'batch', clients: 'broadcast' };

/** How many broadcasts a target fans out to N subscribers, what piles up, and how long that takes to drain. */
export const throughput: Scenario<typeof throughputOptions> = {
  name: 'throughput',
  question: 'Does the server keep up with this publish rate?',
  summary: 'broadcasts offered to N subscribers against what is achieved, the backlog, and the time to drain it',
  options: throughputOptions,
  metrics: {
    ...broadcastMetrics,
    publishAck: {
      ...publishMetrics.publishAck,
      meaning: `${publishMetrics.publishAck.meaning}; only with --publish http`,
    },
    drain: ofTarget(
      'from a shard’s last publish to the last delivery of its own broadcasts, one sample for each of its workers',
      byAudience,
    ),
    ...arrivalMetrics,
  },
  needs(options) {
    const verb = options && verbs[options.publish];
    return verb ? ['subscribe', verb] : ['subscribe'];
  },
  stages: latency.stages,
  arriving: arrivingOf,
  contradictions: stagesRefused,
  work: broadcastWork,
  publishes: true,
  publishWay: ({ publish }) => publish,
  publishingClients,
  notes({ publish }) {
    const note = notes[publish];
    return note ? [note] : [];
  },
  takesNone,
  failures: broadcastFailures,
  demand: (options, load) => latency.demand({ ...options, broadcasts: broadcastsOf(options) }, load),
  lasting: (_options, ratePerSecond, ms) => ({ broadcasts: eventsIn(ms, ratePerSecond), durationMs: ms }),
  sizes: ['broadcasts', 'durationMs', 'subscribers'],
  independentAtMost(options) {
    const most = {
      ...publishedSamples({ ...options, broadcasts: broadcastsOf(options) }),
      ...arrivalSamples(arrivingOf(options)),
    };
    const none = { publishAck: 0, publishAckAtLeast: 0, publishInTarget: 0 };
    if (isInBatches(options)) return { ...most, ...none, delivery: 0, deliveryFromIntended: 0, deliveryAtLeast: 0 };
    return options.publish === 'clients' ? { ...most, ...none } : most;
  },
  blockTimes: (options) => broadcastTimes(broadcastsOf(options), options),
  backlog: backlogOf,
  audience: async (context) => new (await import('./audience.js')).ThroughputAudience(context),
  publisher: async (context) => new (await import('./publisher.js')).ThroughputPublisher(context),
  ...throughputLedger,
  finding: keepingUp,
  headline: [
    { title: 'achieved/s', kind: 'count', entry: 'achievedPerSecond' },
    { title: 'deliveries/s', kind: 'count', entry: 'deliveriesPerSecond' },
    { title: 'p50', kind: 'figure', metric: 'delivery', figure: 'p50' },
    { title: 'p99', kind: 'figure', metric: 'delivery', figure: 'p99' },
    { title: 'p99 from intended', kind: 'figure', metric: 'deliveryFromIntended', figure: 'p99' },
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' },
    { title: 'drain', kind: 'figure', metric: 'drain', figure: 'max' },
  ],
};
