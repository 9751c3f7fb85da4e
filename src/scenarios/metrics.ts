import type { MetricSpec } from '../measure/declaration.js';
import type { BlockTimes } from '../measure/samples/over-time.js';
import { raw } from '../protocols/raw/index.js';
import { eventsIn, lastsMs } from './pace.js';

/** A distribution that is the target’s when the verdict is clean. */
export function ofTarget(meaning: string, more: Partial<MetricSpec> = {}): MetricSpec {
  return { kind: 'distribution', unit: 'us', of: 'target', ...more, meaning };
}

/** A distribution of what the rig itself did. */
export function ofRig(meaning: string, more: Partial<MetricSpec> = {}): MetricSpec {
  return { kind: 'distribution', unit: 'us', of: 'rig', ...more, meaning };
}

/** The lower end of the bracket of a metric, by what people call that. */
export function leastOf(what: string, more: Partial<MetricSpec> = {}): MetricSpec {
  return ofRig(`${what} without the time that it may have waited in the rig; the truth lies between`, more);
}

/** Deliveries of one broadcast share its fate, so they count once. */
export const broadcastWork = { name: 'broadcast', entry: 'acked' } as const;
export const ofBroadcasts = { independent: broadcastWork } as const;

/** What the audience’s loop stamps without a bracket. */
export const byAudience = { stampedBy: 'audience' } as const;
/** What makes a metric a delivery with its bracket. */
export const asDelivery = { atLeast: 'deliveryAtLeast', isDelivery: true } as const;
/** What makes a metric the latency of deliveries from the scheduled instant. */
export const deliveryFromIntended = { fromIntended: { sent: 'delivery', lag: 'publishLag' } } as const;

/** A lost delivery ranks behind all that came: a target gets no better by losing its slowest. */
const withLost = { unfinished: ['lost'], samplesOf: 'delivered' } as const;

/** These metrics with what was lost of them behind all that came. */
export function rankedWithLost<M extends Record<string, MetricSpec>>(metrics: M): M {
  const ranked = Object.entries(metrics).map(([name, spec]) => [name, { ...spec, ...withLost }]);
  return Object.fromEntries(ranked) as M;
}

export const connectionMetrics = {
  connect: ofTarget('from the start of the TCP connect to the answered WebSocket upgrade', {
    stampedBy: 'ramp',
    atLeast: 'connectAtLeast',
  }),
  connectAtLeast: leastOf('connect'),
  subscribe: ofTarget('from the subscribe request to its confirmation', {
    stampedBy: 'ramp',
    atLeast: 'subscribeAtLeast',
  }),
  subscribeAtLeast: leastOf('subscribe'),
};

/** The arrivals of visitors, who connect while traffic flows. */
export const arrivalMetrics = {
  arrival: ofTarget('from the start of a visitor’s TCP connect to its confirmed subscription, while traffic flows', {
    ...byAudience,
    atLeast: 'arrivalAtLeast',
  }),
  arrivalAtLeast: leastOf('arrival'),
  arrivalLag: ofRig('how much later than scheduled the rig began to connect a visitor'),
};

export const publishMetrics = {
  publishAck: ofTarget('from the publish request being handed to the socket to the target’s answer', {
    stampedBy: 'publisher',
    atLeast: 'publishAckAtLeast',
  }),
  publishAckAtLeast: leastOf('publish ack'),
  publishLag: ofRig('how much later than scheduled the rig wrote a publish that nothing held back to its socket'),
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
    'delivery without the time that the send or the frame may have waited in the rig; the truth lies between',
    ofBroadcasts,
  ),
};

/**
 * The same where subscribers are cut off and come back: live deliveries, and replayed ones apart, of which one return
 * brings several. `returns` counts those in the ledger.
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

export const reconnectMetrics = {
  reconnect: ofTarget('from the start of the attempt that brought a client back to its subscription confirmed again', {
    ...byAudience,
    atLeast: 'reconnectAtLeast',
  }),
  reconnectAtLeast: leastOf('reconnect'),
};

/** From the order to restart or redeploy. */
export const disconnectMetrics = {
  disconnect: ofTarget('from the order to the first cut of a client', { ...byAudience, atLeast: 'disconnectAtLeast' }),
  disconnectAtLeast: leastOf('disconnect'),
};

/** The absences of clients, with what is counted as one. */
export function offlineMetrics(meaning: string) {
  return {
    offline: ofTarget(meaning, { ...byAudience, atLeast: 'offlineAtLeast' }),
    offlineAtLeast: leastOf('offline'),
  };
}

export const waitMetric = ofRig('the seeded wait before the next attempt, after each cut and each failed attempt');

/** What a run of broadcasts to subscribers measures that stay connected. */
export const broadcastMetrics = {
  ...rankedWithLost(deliveryMetrics),
  publishAck: publishMetrics.publishAck,
  publishAckAtLeast: publishMetrics.publishAckAtLeast,
  publishInTarget: ofTarget(
    'the target’s own publish call by its own clock, where it reports one (Server-Timing: publish;dur=…)',
    { isTargetsClock: true },
  ),
  publishLag: publishMetrics.publishLag,
  ...connectionMetrics,
};

/** How many independent samples the connections of these clients have at most, by metric. */
export function connectionSamples(clients: number) {
  return { connect: clients, connectAtLeast: clients, subscribe: clients, subscribeAtLeast: clients };
}

/** The same of so many visitors. */
export function arrivalSamples(visits: number) {
  return { arrival: visits, arrivalAtLeast: visits, arrivalLag: visits };
}

/** How many independent samples deliveries and a `BroadcastPublisher` have at most, by metric. */
export function broadcastSamples({ broadcasts }: { broadcasts: number }) {
  return {
    delivery: broadcasts,
    deliveryFromIntended: broadcasts,
    deliveryAtLeast: broadcasts,
    publishAck: broadcasts,
    publishAckAtLeast: broadcasts,
    publishLag: broadcasts,
  };
}

/** The options that set the load of a run of broadcasts. */
interface BroadcastLoad {
  subscribers: number;
  broadcasts: number;
  warmUp: number;
  ratePerSecond: number;
  rampRatePerSecond: number;
  payloadBytes: number;
  drainMs: number;
}

/** What a run of broadcasts to subscribers takes, and `moreMs` beside its ramp, its schedule and one drain. */
export function broadcastDemand(options: BroadcastLoad, moreMs = 0) {
  const broadcasts = options.warmUp + options.broadcasts;
  const rampMs = lastsMs(options.subscribers, options.rampRatePerSecond);
  const publishMs = lastsMs(broadcasts, options.ratePerSecond);
  return {
    clients: options.subscribers,
    publishesPerSecond: options.ratePerSecond,
    payloadBytes: options.payloadBytes,
    broadcasts,
    measuredBroadcasts: options.broadcasts,
    durationMs: rampMs + publishMs + options.drainMs + moreMs,
  };
}

/** How many independent samples a run of `broadcastMetrics` has at most, by metric. */
export function publishedSamples({ broadcasts, subscribers }: { broadcasts: number; subscribers: number }) {
  return { ...broadcastSamples({ broadcasts }), publishInTarget: broadcasts, ...connectionSamples(subscribers) };
}

/** As many broadcasts as a rate makes in a time, or in that of the options if it is longer: clients drop out in it. */
export function keepingLength(
  options: { broadcasts: number; ratePerSecond: number },
  ratePerSecond: number,
  ms: number,
): { broadcasts: number } {
  const leastMs = lastsMs(options.broadcasts, options.ratePerSecond);
  return { broadcasts: eventsIn(Math.max(ms, leastMs), ratePerSecond) };
}

/** When the measured broadcasts are scheduled, for every metric with blocks by broadcast. */
export function broadcastTimes(
  broadcasts: number,
  { ratePerSecond, warmUp }: { ratePerSecond: number; warmUp: number },
): Record<string, BlockTimes> {
  const everyMs = 1000 / ratePerSecond;
  const times = { stage: 'publish', firstMs: warmUp * everyMs, everyMs, units: broadcasts, independentEach: 1 };
  return { delivery: times, deliveryFromIntended: times, publishAck: times };
}

/** What is to be said of clients that subscribe to nothing. */
export function pongNotes(protocol: string | undefined): string[] {
  return protocol === raw.name
    ? ['protocol raw: subscribe and handshake end with the pong that answers a ping frame']
    : [];
}
