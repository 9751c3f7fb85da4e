import { z } from 'zod';
import type { DeliveryBatch } from '../protocols/protocol.js';
import { countText } from '../units/text.js';
import { Deliveries, type DeliveriesMore } from './books/deliveries.js';
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
import {
  broadcasts,
  clientsOption,
  drainMs,
  optionalRate,
  payloadBytes,
  rampRatePerSecond,
  rateOption,
  warmUp,
} from './options.js';
import { planRamp } from './roster/ramp.js';
import { createRoster } from './roster/roster.js';
import { attendanceOf, planVisits, type VisitHooks, type VisitOptions } from './roster/visits.js';
import { type AudienceContext, drain, measured, type RoleReport, type Scenario } from './scenario.js';
import { publishBroadcasts, takesNone } from './traffic/broadcasts.js';
import {
  arrivingOf,
  beyondSchedule,
  beyondSlots,
  type Churn,
  dueAtNs,
  eventsIn,
  lastsMs,
  mostVisits,
  rateStages,
  rateStagesRefused,
  replacedIn,
  stages,
} from './traffic/schedule.js';
import { streamDistribution, streamNotes, streamOptions, streamsRefused, streamVerbs } from './traffic/streams.js';

export const latencyOptions = z.strictObject({
  clients: clientsOption,
  broadcasts: broadcasts(500),
  ratePerSecond: rateOption('rate', 20, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
  rateStages,
  payloadBytes,
  rampRatePerSecond,
  stages: stages.optional(),
  churnPerSecond: optionalRate('churn', 100_000, 'clients per second that are replaced by new ones'),
  ...streamOptions,
  streamDistribution,
  warmUp: warmUp(10),
  drainMs: drainMs(5000, 'longest wait after the last publish; later deliveries count as lost'),
});

type LatencyOptions = z.output<typeof latencyOptions>;
type Schedule = Pick<LatencyOptions, 'stages' | 'churnPerSecond' | 'warmUp' | 'broadcasts' | 'ratePerSecond'>;

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
  contradictions: (options) => scheduleRefused(options),
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

function scheduleMs({ warmUp, broadcasts, ratePerSecond }: Schedule): number {
  return lastsMs(warmUp + broadcasts, ratePerSecond);
}

function churnOf(perSecond: number | undefined, scheduleMs: number): Churn | undefined {
  return perSecond === undefined ? undefined : { perSecond, scheduleMs };
}

/** Returns how many clients of a run of broadcasts arrive while they flow. */
export function arrivingBeside(options: Schedule): number {
  const churn = churnOf(options.churnPerSecond, scheduleMs(options));
  return arrivingOf(options) + (churn ? replacedIn(churn) : 0);
}

/** Returns why a schedule cannot go with its visitors, streams or stages, in words. `longer` names what extends it. */
export function scheduleRefused(
  options: Schedule & Pick<LatencyOptions, 'clients' | 'streams' | 'streamsPerClient' | 'rateStages'>,
  longer = '--broadcasts',
): string[] {
  const { stages, churnPerSecond } = options;
  const churn = churnOf(churnPerSecond, scheduleMs(options));
  const replaced = churn ? replacedIn(churn) : 0;
  const most = `--churn: expected at most ${countText(mostVisits)} replacements, received ${countText(replaced)}`;
  return [
    ...beyondSchedule(stages, scheduleMs(options), longer),
    ...(churn && stages !== undefined ? ['--churn: expected no --stages beside it, received both'] : []),
    ...(replaced > mostVisits ? [most] : []),
    ...streamsRefused(options),
    ...rateStagesRefused(options),
  ];
}

/** Options of subscribers. Where `stages` are given they have visitors beside them, and with a churn in their place. */
export type SubscriberOptions = VisitOptions & {
  churnPerSecond?: number | undefined;
  rampRatePerSecond: number;
  ratePerSecond: number;
  warmUp: number;
  drainMs: number;
};

/** Changes of a scenario to the counting of its audience. */
export interface SubscribersMore extends Pick<DeliveriesMore, 'isTimed'> {
  taken?(batch: DeliveryBatch): void;
}

/** Holds the subscribers of one worker, and the visitors that come and go while broadcasts flow. */
export function subscribers(context: AudienceContext<SubscriberOptions>, { taken, ...more }: SubscribersMore = {}) {
  const { board, nowNs, options } = context;
  const { churnPerSecond, drainMs, rampRatePerSecond, ratePerSecond } = options;
  let isPublishing = false;
  const roster = createRoster(context, {
    deliveries(batch) {
      book.take(batch);
      taken?.(batch);
    },
  });
  const ramp = planRamp(roster, {
    subscribed: (client) => book.admit(client),
    lost(client, cause) {
      if (isPublishing) roster.lostOne(cause);
      else book.dismiss(client);
    },
  });
  const churn = churnOf(churnPerSecond, lastsMs(board.size, ratePerSecond));
  const hooks: VisitHooks = {
    arrived(client, toNs) {
      attendance.admit(client, nowNs(), toNs);
      book.admit(client);
    },
    cut: (_client, cause) => roster.lostOne(cause),
    hasAll: (client) => book.hasAll(client),
    resident: (client, toNs) => attendance.admit(client, 0, toNs),
  };
  const visits = planVisits(roster, context, hooks, churn);
  const attendance = attendanceOf(context, visits.firstLeaving);
  const book = new Deliveries(context, {
    ...more,
    ...(visits.isPlanned && { isOwed: (client, sequence) => attendance.isOwed(client, sequence) }),
  });
  const tick = (): void => visits.tick();

  const publish = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    isPublishing = true;
    roster.hasClients('publish to');
    if (!visits.isPlanned) return;
    attendance.begin(startAtNs);
    visits.begin(startAtNs);
    const endNs = startAtNs + dueAtNs(board.size, ratePerSecond);
    await roster.waitUntil((nowNs) => nowNs >= endNs, signal, tick);
  };

  return {
    ...{ book, roster, visits },
    async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
      if (name === 'ramp')
        await ramp.run(startAtNs, { ratePerSecond: rampRatePerSecond, upTo: visits.staying }, signal);
      if (name === 'publish') await publish(startAtNs, signal);
      if (name !== 'drain') return;
      const endNs = startAtNs + drainMs * 1e6;
      const haveAll = (): boolean => book.haveAll((client) => roster.isThere(client));
      await roster.waitUntil((nowNs) => nowNs >= endNs || haveAll(), signal, tick);
      book.close();
    },
    progress: (): Record<string, number> => ({ ...ramp.progress(), received: book.received, ...visits.progress() }),
    bins: () => book.times.bins,
    report(): RoleReport {
      const counted = book.report();
      const { counts, causes, timeline, ramp: samples } = ramp.report();
      return visits.reportWith({
        counts: { ...counts, ...counted.counts },
        ...{ causes, timeline, series: counted.series },
        samples: { ...counted.samples, ...samples },
      });
    },
    dispose: () => roster.dispose(),
  };
}
