import type { MetricSpec } from '../../measure/declaration.js';

/** What `Arrivals` times, as every scenario that has one declares it. */
export const deliveryMetrics = {
  delivery: {
    kind: 'distribution',
    unit: 'us',
    of: 'target',
    meaning: 'from the publish request being handed to the socket to the frame being taken off the subscriber’s socket',
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
} as const satisfies Record<string, MetricSpec>;

/** Of how many samples those are at most, and those of a `BroadcastPublisher`, by metric. */
export function broadcastSamples({ subscribers, broadcasts }: { subscribers: number; broadcasts: number }) {
  const deliveries = subscribers * broadcasts;
  return {
    delivery: deliveries,
    deliveryFromIntended: deliveries,
    deliveryAtLeast: deliveries,
    publishAck: broadcasts,
    publishLag: broadcasts,
  };
}

/** The same where subscribers are cut off and come back: live deliveries, and those replayed apart. */
export const replayedDeliveryMetrics = {
  ...deliveryMetrics,
  delivery: { ...deliveryMetrics.delivery, meaning: `of live deliveries: ${deliveryMetrics.delivery.meaning}` },
  replayed: {
    kind: 'distribution',
    unit: 'us',
    of: 'target',
    stampedBy: 'audience',
    meaning:
      'from the publish to the delivery of what the target had taken before the subscriber began to come back: its absence included',
  },
} as const satisfies Record<string, MetricSpec>;
