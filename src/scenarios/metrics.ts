import type { HeadlineColumn, MetricSpec } from '../measure/declaration.js';
import type { BlockTimes } from '../measure/samples/distribution.js';
import type { ThresholdFigure } from '../measure/threshold.js';
import { raw } from '../protocols/messages/index.js';
import { eventsIn, lastsMs } from './pace.js';
import { dueInStages } from './traffic/rate-stages.js';

/** Declares a distribution that belongs to the target if the verdict is clean. */
export function ofTarget(meaning: string, more: Partial<MetricSpec> = {}): MetricSpec {
  return { kind: 'distribution', unit: 'us', of: 'target', ...more, meaning };
}

/** Declares a distribution of the rig itself. */
export function ofRig(meaning: string, more: Partial<MetricSpec> = {}): MetricSpec {
  return { kind: 'distribution', unit: 'us', of: 'rig', ...more, meaning };
}

/** Declares the lower end of a metric's bracket. `what` names the metric in words. */
export function leastOf(what: string, more: Partial<MetricSpec> = {}): MetricSpec {
  return ofRig(`${what} without the time that it may have waited in the load generator; the truth lies between`, more);
}

/** Declares a metric that a loop stamps, and the lower end of its bracket. Both have `both`. */
export function bracketed<N extends string>(
  name: N,
  stampedBy: NonNullable<MetricSpec['stampedBy']>,
  meaning: string,
  both: Partial<MetricSpec> = {},
) {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return {
    [name]: ofTarget(meaning, { ...both, stampedBy, atLeast: `${name}AtLeast` }),
    [`${name}AtLeast`]: leastOf(words, both),
  } as Record<N | `${N}AtLeast`, MetricSpec>;
}

/** Returns columns of a scoreboard: figures of a metric, under their own names. */
export function figureColumns(metric: string, ...figures: ThresholdFigure[]): HeadlineColumn[] {
  return figures.map((figure) => ({ title: figure, kind: 'figure', metric, figure }));
}

/** Returns the column of a latency from the scheduled instant. */
export function lateColumn(metric: string): HeadlineColumn {
  return { title: 'p99, late sends included', kind: 'figure', metric, figure: 'p99' };
}

export const deliveredColumn = { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' } as const;

/** Ends the sentence of a scenario: what was lost of what was expected. */
export const lostClause = {
  count: 'lost',
  none: 'nothing was lost',
  some: '{lost} of {expected} deliveries were lost',
} as const;

/** Deliveries of one broadcast depend on each other, so they count once. */
export const broadcastWork = { name: 'broadcast', entry: 'acked' } as const;
export const ofBroadcasts = { independent: broadcastWork } as const;

/** Marks a metric that the audience’s loop stamps without a bracket. */
export const byAudience = { stampedBy: 'audience' } as const;
/** Marks a metric as a delivery with its bracket. */
export const asDelivery = { atLeast: 'deliveryAtLeast', isDelivery: true } as const;
/** Marks a metric as the latency of deliveries from the scheduled instant. */
export const deliveryFromIntended = { fromIntended: { sent: 'delivery', lag: 'publishLag' } } as const;

/** Ranks a lost delivery behind all that came. So a target does not improve by losing its slowest deliveries. */
const withLost = { unfinished: ['lost'], samplesOf: 'delivered' } as const;

/** Returns these metrics with lost deliveries ranked behind all that came. */
export function rankedWithLost<M extends Record<string, MetricSpec>>(metrics: M): M {
  const ranked = Object.entries(metrics).map(([name, spec]) => [name, { ...spec, ...withLost }]);
  return Object.fromEntries(ranked) as M;
}

export const connectionMetrics = {
  ...bracketed('connect', 'ramp', 'from the start of the TCP connect to the answered WebSocket upgrade'),
  ...bracketed('subscribe', 'ramp', 'from the subscribe request to its confirmation'),
};

const arrival = 'from the start of a visitor’s TCP connect to its confirmed subscription, while traffic flows';

/** Times arrivals of visitors, which connect while traffic flows. */
export const arrivalMetrics = {
  ...bracketed('arrival', 'audience', arrival),
  arrivalLag: ofRig('how much later than scheduled the load generator began to connect a visitor'),
};

const publishAck = 'from the publish request being handed to the socket to the target’s answer';

export const publishMetrics = {
  ...bracketed('publishAck', 'publisher', publishAck),
  publishLag: ofRig('how late the load generator sent a publish that did not have to wait for an earlier answer'),
};

export const deliveryMetrics = {
  delivery: ofTarget(
    'from the publish request being handed to the socket to the frame reaching the subscriber’s socket',
    { ...asDelivery, ...ofBroadcasts },
  ),
  deliveryFromIntended: ofTarget(
    'the same from the scheduled instant of the publish: what a user feels when the target stalls',
    { ...deliveryFromIntended, ...ofBroadcasts },
  ),
  deliveryAtLeast: ofRig(
    'delivery without the time that send or frame may have waited in the load generator; the truth lies between',
    ofBroadcasts,
  ),
};

/**
 * Returns delivery metrics for subscribers that are cut off and come back. Live and replayed deliveries are measured
 * separately. One return brings several replays. `returns` names the ledger entry that counts returns.
 */
export function replayedDeliveryMetrics(returns: string) {
  return {
    ...deliveryMetrics,
    delivery: { ...deliveryMetrics.delivery, meaning: `of live deliveries: ${deliveryMetrics.delivery.meaning}` },
    replayed: ofTarget('from the publish to the replayed delivery of what a subscriber missed, its absence included', {
      ...byAudience,
      independent: { name: 'return', entry: returns },
    }),
  };
}

const reconnect = 'from the start of the attempt that brought a client back to its subscription confirmed again';

export const reconnectMetrics = bracketed('reconnect', 'audience', reconnect);

/** Times cuts from the order to restart or redeploy. */
export const disconnectMetrics = bracketed('disconnect', 'audience', 'from the order to the first cut of a client');

export const waitMetric = ofRig('the seeded wait before the next attempt, after each cut and each failed attempt');

/** Metrics of a run of broadcasts to subscribers that stay connected. */
export const broadcastMetrics = {
  ...rankedWithLost(deliveryMetrics),
  publishAck: publishMetrics.publishAck,
  publishAckAtLeast: publishMetrics.publishAckAtLeast,
  publishInTarget: ofTarget('the target’s own publish call by its own clock (Server-Timing: publish;dur=…)', {
    isTargetsClock: true,
  }),
  publishLag: publishMetrics.publishLag,
  ...connectionMetrics,
};

/** Returns, by metric, the largest number of independent samples that connections of these clients have. */
export function connectionSamples(clients: number) {
  return { connect: clients, subscribe: clients };
}

/** Returns, by metric, the largest number of independent samples that so many visitors have. */
export function arrivalSamples(visits: number) {
  return { arrival: visits, arrivalLag: visits };
}

/** Returns, by metric, the largest number of independent samples of deliveries and publishes. */
export function broadcastSamples({ broadcasts }: { broadcasts: number }) {
  return { delivery: broadcasts, publishAck: broadcasts, publishLag: broadcasts };
}

interface BroadcastLoad {
  clients: number;
  broadcasts: number;
  warmUp: number;
  ratePerSecond: number;
  rampRatePerSecond: number;
  payloadBytes: number;
  drainMs: number;
}

/** Returns the demand of a run of broadcasts: its ramp, its schedule, one drain and `moreMs`. */
export function broadcastDemand(options: BroadcastLoad, moreMs = 0) {
  const broadcasts = options.warmUp + options.broadcasts;
  const rampMs = lastsMs(options.clients, options.rampRatePerSecond);
  const publishMs = lastsMs(broadcasts, options.ratePerSecond);
  return {
    clients: options.clients,
    publishesPerSecond: options.ratePerSecond,
    payloadBytes: options.payloadBytes,
    broadcasts,
    measuredBroadcasts: options.broadcasts,
    durationMs: rampMs + publishMs + options.drainMs + moreMs,
  };
}

/** Returns, by metric, the largest number of independent samples in a run of `broadcastMetrics`. */
export function publishedSamples({ broadcasts, clients }: { broadcasts: number; clients: number }) {
  return { ...broadcastSamples({ broadcasts }), publishInTarget: broadcasts, ...connectionSamples(clients) };
}

/** Returns the broadcasts that a rate makes in a time, or in the time of the options if that is longer. */
export function keepingLength(
  options: { broadcasts: number; ratePerSecond: number },
  ratePerSecond: number,
  ms: number,
): { broadcasts: number } {
  const leastMs = lastsMs(options.broadcasts, options.ratePerSecond);
  return { broadcasts: eventsIn(Math.max(ms, leastMs), ratePerSecond) };
}

/** Returns the schedule of the measured broadcasts, for every metric with blocks by broadcast. */
export function broadcastTimes(
  broadcasts: number,
  { ratePerSecond, warmUp, rateStages }: { ratePerSecond: number; warmUp: number; rateStages?: string | undefined },
): Record<string, BlockTimes> {
  const everyMs = 1000 / ratePerSecond;
  const even = { stage: 'publish', firstMs: warmUp * everyMs, everyMs, units: broadcasts, independentEach: 1 };
  const due = rateStages && dueInStages(rateStages, warmUp + broadcasts);
  const endMs = lastsMs(warmUp + broadcasts, ratePerSecond);
  const times = due ? { ...even, atMs: (unit: number) => due[warmUp + unit] ?? endMs } : even;
  return { delivery: times, deliveryFromIntended: times, publishAck: times };
}

/** Returns notes on clients that subscribe to nothing. */
export function pongNotes(protocol: string | undefined): string[] {
  return protocol === raw.name
    ? ['protocol raw: subscribe and handshake end with the pong that answers a ping frame']
    : [];
}
