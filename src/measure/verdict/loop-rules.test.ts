import {
  few,
  metric,
  run,
  shard,
  withConnect,
  withDelivery,
  withWorker,
  worker,
} from '../../../test/doubles/golden-facts.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import { loopRules } from './loop-rules.js';

holdPairs(loopRules, {
  'receive-lag': {
    speaks: [
      // A fifth of the percentile is the bound, from five milliseconds on.
      withDelivery(metric(10_000, 20_000), metric(7999, 20_000)),
      withDelivery(metric(10_000, 20_000), metric(10_000, 15_999)),
      // Below, it is one millisecond.
      withDelivery(metric(1301, 3001), metric(300, 3001)),
      // Every percentile up to p99 is looked at, however few the deliveries.
      withDelivery(metric(10_000, null, 20_000, { p90: 20_000 }), metric(10_000, null, 20_000, { p90: 15_999 })),
      withDelivery(metric(10_000, 30_000, 30_000, { p95: 20_000 }), metric(10_000, 30_000, 30_000, { p95: 15_999 })),
      // Any metric with a bracket.
      run({
        declared: { lap: { atLeast: 'lapAtLeast' } },
        metrics: { lap: metric(10_000, 20_000), lapAtLeast: metric(10_000, 15_999) },
      }),
    ],
    silent: [
      withDelivery(metric(10_000, 20_000), metric(8000, 16_000)),
      withDelivery(metric(1301, 3001), metric(301, 2001)),
      withDelivery(metric(null, null), metric(null, null)),
      // One stall of the machine makes a tail: that is said of the figure.
      withDelivery(metric(7001, 9001, 800_000, { p999: 700_000 }), metric(7001, 9001, 12_000, { p999: 11_000 })),
      run({ declared: {}, metrics: { delivery: metric(10_000, 20_000), deliveryAtLeast: metric(1, 1) } }),
      run({ metrics: {} }),
    ],
  },
  'loop-delay': {
    speaks: [
      // Half of a p99 of 9 ms.
      withConnect(9000, { loopDelayP99Ms: 4.6 }),
      run({
        metrics: { publishAck: metric(503, 9000) },
        shards: [shard(0, { workers: [worker({ holdsSubscribers: false, loopDelayP99Ms: 4.6 })] })],
      }),
      // Of a hundred answers p95 is the highest percentile, of seven there is only the max.
      ...[metric(3001, null, 97_000, { p95: 9000 }), few(9000)].map((publishAck) =>
        run({
          metrics: { publishAck },
          shards: [shard(0, { workers: [worker({ holdsSubscribers: false, loopDelayP99Ms: 4.6 })] })],
        }),
      ),
    ],
    silent: [
      withConnect(9000, { loopDelayP99Ms: 4.4 }),
      run({
        metrics: { publishAck: metric(3001, null, 97_000, { p95: 9000 }) },
        shards: [shard(0, { workers: [worker({ holdsSubscribers: false, loopDelayP99Ms: 4.4 })] })],
      }),
      // Below what timers can tell.
      withConnect(1009, { loopDelayP99Ms: 2.9 }),
      withConnect(9000, { loopDelayP99Ms: 11, holdsSubscribers: false }),
      run({
        metrics: { connect: metric(503, 9000) },
        declared: { connect: { stampedBy: 'ramp' } },
        shards: [shard(0, { workers: [worker({ loopDelayP99Ms: 97 })] })],
      }),
      run({
        metrics: { connect: metric(503, 9000) },
        declared: { connect: {} },
        shards: [shard(0, { workers: [worker({ loopDelayP99Ms: 97 })] })],
      }),
    ],
  },
  'publish-lag': {
    speaks: [
      run({ metrics: { deliveryFromIntended: metric(3001, 17_000), publishLag: metric(53, 3401) } }),
      // Any metric that counts from a schedule.
      run({
        declared: { lapFromIntended: { fromIntended: { sent: 'lap', lag: 'startLag' } } },
        metrics: { lapFromIntended: metric(3001, 17_000), startLag: metric(53, 3401) },
      }),
      run({
        metrics: {
          delivery: metric(3001, 13_599),
          deliveryFromIntended: metric(3001, 17_000),
          publishLag: metric(53, 3401),
        },
      }),
      // A hundred broadcasts carry no p99 of their lag: ten of them left 300 ms late, or two.
      ...[295_003, 53].map((p95) =>
        run({
          metrics: {
            delivery: metric(3001, 9001),
            deliveryFromIntended: metric(3001, 301_001),
            publishLag: metric(53, null, 299_993, { p95 }),
          },
        }),
      ),
      // Nor do deliveries to a few.
      run({
        metrics: {
          delivery: metric(3001, null, 9001, { p95: null, p90: 7001 }),
          deliveryFromIntended: metric(3001, null, 301_001, { p95: null, p90: 299_993 }),
          publishLag: few(299_993),
        },
      }),
    ],
    silent: [
      // Publishes were late, but the late ones made none of the slowest deliveries.
      run({
        metrics: {
          delivery: metric(3001, 13_600),
          deliveryFromIntended: metric(3001, 17_000),
          publishLag: metric(53, 7001),
        },
      }),
      run({ metrics: { deliveryFromIntended: metric(3001, 17_000), publishLag: metric(53, 3400) } }),
      // A fifth of a small figure is less than the rig can tell.
      run({ metrics: { deliveryFromIntended: metric(301, 1009), publishLag: metric(53, 997) } }),
      // One of a hundred left late: no p99 of the deliveries is made of it.
      run({
        metrics: {
          delivery: metric(3001, 9001),
          deliveryFromIntended: metric(3001, 9007),
          publishLag: metric(53, null, 299_993),
        },
      }),
    ],
  },
  'loop-utilization': {
    speaks: [withWorker({ utilization: 0.91 })],
    silent: [withWorker({ utilization: 0.9 }), withWorker({ utilization: 0.99, holdsSubscribers: false })],
  },
  'core-starved': {
    speaks: [withWorker({ runQueueWaitMs: 1001 }), withWorker({ runQueueWaitMs: 1001, holdsSubscribers: false })],
    silent: [
      withWorker({ runQueueWaitMs: 1000 }),
      withWorker({ runQueueWaitMs: null }),
      withWorker({ runQueueWaitMs: 7, windowMs: 0 }),
    ],
  },
  'gc-pause': {
    speaks: [
      run({
        metrics: { delivery: metric(11_000, 17_000) },
        shards: [shard(0, { workers: [worker({ gcMaxMs: 17.1 })] })],
      }),
      run({ metrics: { delivery: metric(499, 503) }, shards: [shard(0, { workers: [worker({ gcMaxMs: 10.1 })] })] }),
      // The slowest delivery may have waited for it.
      run({
        metrics: { delivery: metric(499, 503, 50_000), deliveryAtLeast: metric(499, 503, 39_000) },
        shards: [shard(0, { workers: [worker({ gcMaxMs: 11 })] })],
      }),
    ],
    silent: [
      run({
        metrics: { delivery: metric(11_000, 17_000) },
        shards: [shard(0, { workers: [worker({ gcMaxMs: 17 })] })],
      }),
      withWorker({ gcMaxMs: 101, holdsSubscribers: false }),
      // The bracket shows that no delivery waited for it.
      run({
        metrics: { delivery: metric(499, 503, 50_000), deliveryAtLeast: metric(499, 503, 41_000) },
        shards: [shard(0, { workers: [worker({ gcMaxMs: 11 })] })],
      }),
      // No delivery took as long as the pause: it delayed none.
      run({
        metrics: { delivery: metric(499, 503, 40_000) },
        shards: [shard(0, { workers: [worker({ gcMaxMs: 41 })] })],
      }),
      run({ metrics: { delivery: metric(499, 503) }, shards: [shard(0, { workers: [worker({ gcMaxMs: 9.9 })] })] }),
      run({ metrics: { delivery: metric(499, null) }, shards: [shard(0, { workers: [worker({ gcMaxMs: 101 })] })] }),
    ],
  },
});
