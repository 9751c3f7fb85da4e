import { z } from 'zod';
import { broadcastFailures, visitLedger } from './books/ledger.js';
import {
  arrivalMetrics,
  arrivalSamples,
  broadcastDemand,
  broadcastMetrics,
  broadcastTimes,
  broadcastWork,
  deliveredColumn,
  figureColumns,
  lateColumn,
  lostClause,
  publishedSamples,
} from './metrics.js';
import { broadcasts, clientsOption, drainMs, payloadBytes, rampRatePerSecond, rateOption, warmUp } from './options.js';
import { eventsIn, lastsMs } from './pace.js';
import {
  arrivingOf,
  beyondSchedule,
  beyondSlots,
  type Churn,
  churnPerSecond,
  churnRefused,
  replacedIn,
  stages,
} from './roster/stages.js';
import { drain, measured, type Scenario } from './scenario.js';
import { streamDistribution, streamNotes, streamOptions, streamsRefused, streamVerbs } from './streams.js';
import { publishBroadcasts, takesNone } from './traffic/broadcasts.js';
import { rateStages, rateStagesRefused } from './traffic/rate-stages.js';
import { subscribers } from './traffic/subscribers.js';

export const latencyOptions = z.strictObject({
  clients: clientsOption,
  broadcasts: broadcasts(500),
  ratePerSecond: rateOption('rate', 20, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
  rateStages,
  payloadBytes,
  rampRatePerSecond,
  stages: stages.optional(),
  churnPerSecond,
  ...streamOptions,
  streamDistribution,
  warmUp: warmUp(10),
  drainMs: drainMs(5000, 'longest wait after the last publish; later deliveries count as lost'),
});

interface ComingAndGoing {
  stages?: string | undefined;
  churnPerSecond?: number | undefined;
  warmUp: number;
  broadcasts: number;
  ratePerSecond: number;
}

/** Returns the churn of a run of broadcasts; undefined if nobody is replaced. */
export function churnOf({ churnPerSecond, warmUp, broadcasts, ratePerSecond }: ComingAndGoing): Churn | undefined {
  const scheduleMs = lastsMs(warmUp + broadcasts, ratePerSecond);
  return churnPerSecond === undefined ? undefined : { perSecond: churnPerSecond, scheduleMs };
}

/** Returns how many clients of a run of broadcasts arrive while they flow. */
export function arrivingBeside(options: ComingAndGoing): number {
  const churn = churnOf(options);
  return arrivingOf(options) + (churn ? replacedIn(churn) : 0);
}

/** Measures how long a broadcast takes to each of N subscribers, published on an open schedule. */
export const latency: Scenario<typeof latencyOptions> = {
  name: 'latency',
  question: 'How long does a broadcast take to reach each subscriber?',
  summary: 'how long a broadcast takes to each of N subscribers, at a fixed rate',
  options: latencyOptions,
  metrics: { ...broadcastMetrics, ...arrivalMetrics },
  needs: streamVerbs,
  notes: streamNotes,
  stages: [
    { name: 'ramp', summary: 'clients connect and subscribe, evenly spaced; each subscription is proven' },
    measured('publish', 'start', 'warm-up, then measured broadcasts, on one open schedule'),
    drain('what is still under way arrives'),
  ],
  arriving: arrivingBeside,
  contradictions(options) {
    const { stages, warmUp, broadcasts, ratePerSecond } = options;
    return [
      ...beyondSchedule(stages, lastsMs(warmUp + broadcasts, ratePerSecond), '--broadcasts'),
      ...churnRefused(churnOf(options), stages),
      ...streamsRefused(options),
      ...rateStagesRefused(options),
    ];
  },
  work: broadcastWork,
  publishes: true,
  slots: {
    stage: 'publish',
    metric: 'delivery',
    atLeast: 'deliveryAtLeast',
    came: 'delivered',
    missing: 'missing',
    share: { part: 'delivered', whole: 'expected' },
    options: ({ rounds, warmUp, roundMs }) => ({ broadcasts: rounds, warmUp, ratePerSecond: 1000 / roundMs }),
    contradictions: beyondSlots,
  },
  takesNone,
  failures: broadcastFailures,
  demand(options) {
    const demand = broadcastDemand(options);
    return { ...demand, clients: demand.clients + arrivingBeside(options) };
  },
  lasting: (_options, ratePerSecond, ms) => ({ broadcasts: eventsIn(ms, ratePerSecond) }),
  sizes: ['broadcasts', 'clients'],
  independentAtMost: (options) => ({
    ...publishedSamples(options),
    ...arrivalSamples(arrivingBeside(options)),
  }),
  blockTimes: (options) => broadcastTimes(options.broadcasts, options),
  audience: async (context) => subscribers(context),
  publisher: async (context) => publishBroadcasts(context),
  ...visitLedger,
  headline: [
    ...figureColumns('delivery', 'p50', 'p99', 'max'),
    lateColumn('deliveryFromIntended'),
    { title: 'publish ack p50', kind: 'figure', metric: 'publishAck', figure: 'p50' },
    deliveredColumn,
  ],
  sentence: ['{clients} clients got each broadcast in {delivery}', lostClause],
};
