import type { MetricFacts, RunFacts, ShardFacts, WorkerFacts } from '../../src/measure/verdict/facts.js';

/** For tests: a distribution, its times in microseconds; what is not told between p50 and p99 lies near these. */
export const metric = (
  p50: number | null,
  p99: number | null,
  max = 997_000,
  more: Partial<MetricFacts> = {},
): MetricFacts => ({ count: 7000, min: null, p50, p90: p50, p95: p99, p99, p999: p99, max, mean: null, ...more });

/** A distribution of so few samples that they carry no percentile. */
export const few = (max: number): MetricFacts => metric(null, null, max);

/** For tests: a loop at its ease. */
export const worker = (more: Partial<WorkerFacts> = {}): WorkerFacts => ({
  label: 'worker 0',
  holdsSubscribers: true,
  loopDelayP99Ms: 2.9,
  utilization: 0.29,
  runQueueWaitMs: 31,
  windowMs: 10_007,
  ...more,
});

/** For tests: a shard that did its part. */
export const shard = (index: number, more: Partial<ShardFacts> = {}): ShardFacts => ({
  label: `shard ${index}`,
  asked: 101,
  dealt: { clients: 101, broadcasts: 53 },
  ready: 101,
  refused: 0,
  published: 53,
  received: 10_007,
  descriptorsUsed: 311,
  descriptorLimit: 4099,
  clockId: 'boot-7/time:[11]',
  clockIdBefore: 'boot-7/time:[11]',
  coreBusy: [0.97, 0.31],
  timeWait: 211,
  sourcePorts: 28_232,
  workers: [worker()],
  ...more,
});

/** For tests: a run of two shards that nothing speaks against. */
export const run = (more: Partial<RunFacts> = {}): RunFacts => ({
  cutShortBy: undefined,
  nothingDelivered: undefined,
  plannedMs: 10_000,
  elapsedMs: 11_003,
  offeredPerSecond: 10,
  achievedPerSecond: 9.97,
  unmetPerSecond: 0,
  withheld: 0,
  ledgerBreaks: [],
  ledger: { attempted: 106, acked: 106, expected: 21_412, delivered: 21_401 },
  metrics: { delivery: metric(3001, 17_011), deliveryAtLeast: metric(2803, 16_007) },
  clockFaults: 0,
  calibratedErrorUs: null,
  demanded: { clients: 202, broadcasts: 106 },
  link: undefined,
  waits: undefined,
  declared: {
    delivery: { atLeast: 'deliveryAtLeast', isDelivery: true },
    deliveryFromIntended: { fromIntended: { sent: 'delivery', lag: 'publishLag' } },
    publishAck: { stampedBy: 'publisher' },
    connect: { stampedBy: 'audience' },
  },
  shards: [shard(0), shard(1)],
  lostShards: 0,
  ...more,
});

/** That run with shards of which each is otherwise as told. */
export const withShards = (...each: Partial<ShardFacts>[]): RunFacts =>
  run({ shards: each.map((more, at) => shard(at, more)) });

/** That run with one loop of three otherwise. */
export const withWorker = (more: Partial<WorkerFacts>): RunFacts =>
  withShards({}, { workers: [worker(), worker(more)] });

/** That run on a second machine of such cores. */
export const withCores = (coreBusy: number[]): RunFacts => withShards({}, { coreBusy });

/** That run with so many timed deliveries, its two shards otherwise as told. */
export const withTimed = (count: number, ...[one = {}, other = {}]: Partial<ShardFacts>[]): RunFacts => ({
  ...withShards(one, other),
  metrics: { delivery: { ...metric(3001, 17_011), count } },
});

/** That run with other entries in its books. */
export const withLedger = (more: Record<string, number>): RunFacts => run({ ledger: { ...run().ledger, ...more } });

/** That run with both ends of its delivery. */
export const withDelivery = (delivery: MetricFacts, deliveryAtLeast: MetricFacts): RunFacts =>
  run({ metrics: { delivery, deliveryAtLeast } });

/** A run of connections by one loop, with their p99. */
export const withConnect = (p99: number, more: Partial<WorkerFacts>): RunFacts =>
  run({ metrics: { connect: metric(503, p99) }, shards: [shard(0, { workers: [worker(more)] })] });
