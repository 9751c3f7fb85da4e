import { describe, expect, it } from 'vitest';
import { judge, type RunFacts, type ShardFacts, verdictRules } from './verdict.js';

type WorkerFacts = ShardFacts['workers'][number];
type Metric = RunFacts['metrics'][string];

const metric = (p50: number | null, p99: number | null, max = 997_000): Metric => ({ count: 7000, p50, p99, max });

const worker = (more: Partial<WorkerFacts> = {}): WorkerFacts => ({
  label: 'worker 0',
  holdsSubscribers: true,
  loopDelayP99Ms: 2.9,
  loopDelayMaxMs: 41.3,
  utilization: 0.29,
  runQueueWaitMs: 31,
  windowMs: 10_007,
  gcMaxMs: 2.3,
  ...more,
});

const shard = (index: number, more: Partial<ShardFacts> = {}): ShardFacts => ({
  label: `shard ${index}`,
  asked: 101,
  ready: 101,
  refused: 0,
  published: 53,
  received: 10_007,
  descriptorsUsed: 311,
  descriptorLimit: 4099,
  workers: [worker()],
  ...more,
});

/** A run of two shards that nothing speaks against. */
const run = (more: Partial<RunFacts> = {}): RunFacts => ({
  cutShortBy: undefined,
  plannedMs: 10_000,
  elapsedMs: 11_003,
  offeredPerSecond: 10,
  achievedPerSecond: 9.97,
  ledgerBreaks: [],
  ledger: { attempted: 106, acked: 106, expected: 21_412, delivered: 21_401 },
  metrics: { delivery: metric(3001, 17_011), deliveryAtLeast: metric(2503, 16_007) },
  clockFaults: 0,
  stampedBy: { publishAck: 'publisher', connect: 'audience' },
  shards: [shard(0), shard(1)],
  ...more,
});

const withShards = (...each: Partial<ShardFacts>[]): RunFacts =>
  run({ shards: each.map((more, at) => shard(at, more)) });
const withWorker = (more: Partial<WorkerFacts>): RunFacts => withShards({}, { workers: [worker(), worker(more)] });
const withLedger = (more: Record<string, number>): RunFacts => run({ ledger: { ...run().ledger, ...more } });
const withDelivery = (delivery: Metric, deliveryAtLeast: Metric): RunFacts =>
  run({ metrics: { delivery, deliveryAtLeast } });

const withConnect = (p99: number, more: Partial<WorkerFacts>): RunFacts =>
  run({ metrics: { connect: metric(503, p99) }, shards: [shard(0, { workers: [worker(more)] })] });

interface Pair {
  speaks: RunFacts[];
  /** Close by, and nothing to say. */
  silent: RunFacts[];
}

/** For each rule: runs that it speaks against, and neighbours that it lets pass. */
const pairs: Readonly<Record<string, Pair>> = {
  'cut-short': { speaks: [run({ cutShortBy: 'target process gone' })], silent: [run()] },
  'ledger-broken': { speaks: [run({ ledgerBreaks: ['attempted 7 is not 5'] })], silent: [run()] },
  'nothing-connected': {
    speaks: [withShards({ ready: 0 }, { ready: 0 }), run({ shards: [] })],
    silent: [withShards({ ready: 0 }, { ready: 1 })],
  },
  'nothing-published': { speaks: [withLedger({ acked: 0 })], silent: [withLedger({ acked: 1 })] },
  'delivery-over-100': {
    speaks: [withLedger({ delivered: 21_413 })],
    silent: [withLedger({ delivered: 21_412 })],
  },
  'clock-fault': { speaks: [run({ clockFaults: 1 })], silent: [run({ clockFaults: 0 })] },
  'silent-shard': {
    speaks: [
      withShards({}, { received: 0 }),
      withShards({}, { published: 0 }),
      run({
        ledger: { attempted: 2, acked: 2, expected: 404, delivered: 404 },
        shards: [shard(0), shard(1, { published: 0 })],
      }),
    ],
    silent: [
      withShards({}, { received: 1 }),
      withShards({}, { ready: 0, received: 0 }),
      // One broadcast over two shards: one has none to send.
      run({
        ledger: { attempted: 1, acked: 1, expected: 202, delivered: 202 },
        shards: [shard(0), shard(1, { published: 0 })],
      }),
      // Nobody got anything: that is the target's.
      run({
        ledger: { ...run().ledger, delivered: 0 },
        shards: [shard(0, { received: 0 }), shard(1, { received: 0 })],
      }),
    ],
  },
  'elapsed-overrun': { speaks: [run({ elapsedMs: 20_001 })], silent: [run({ elapsedMs: 20_000 })] },
  'uniform-ceiling': {
    speaks: [
      withShards({ ready: 97 }, { ready: 97 }),
      withShards({ ready: 1 }, { ready: 1 }),
      // The target turned away clients of one alone.
      withShards({ ready: 97, refused: 4 }, { ready: 97 }),
    ],
    silent: [
      withShards({ ready: 97, refused: 4 }, { ready: 97, refused: 1 }),
      withShards({ ready: 0 }, { ready: 0 }),
      withShards({ ready: 97 }, { ready: 89 }),
      withShards({ ready: 100 }, { ready: 100 }),
      withShards({ ready: 97 }),
    ],
  },
  'receive-lag': {
    speaks: [
      // A fifth of the percentile is the bound, from five milliseconds on.
      withDelivery(metric(10_000, 20_000), metric(7999, 20_000)),
      withDelivery(metric(10_000, 20_000), metric(10_000, 15_999)),
      // Below, it is one millisecond.
      withDelivery(metric(1301, 3001), metric(300, 3001)),
    ],
    silent: [
      withDelivery(metric(10_000, 20_000), metric(8000, 16_000)),
      withDelivery(metric(1301, 3001), metric(301, 2001)),
      withDelivery(metric(null, null), metric(null, null)),
      run({ metrics: {} }),
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
      withWorker({ gcMaxMs: 17.1 }),
      run({ metrics: { delivery: metric(499, 503) }, shards: [shard(0, { workers: [worker({ gcMaxMs: 10.1 })] })] }),
    ],
    silent: [
      withWorker({ gcMaxMs: 17 }),
      withWorker({ gcMaxMs: 101, holdsSubscribers: false }),
      // No delivery took as long as the pause: it delayed none.
      run({
        metrics: { delivery: metric(499, 503, 40_000) },
        shards: [shard(0, { workers: [worker({ gcMaxMs: 41 })] })],
      }),
      run({ metrics: { delivery: metric(499, 503) }, shards: [shard(0, { workers: [worker({ gcMaxMs: 9.9 })] })] }),
      run({ metrics: { delivery: metric(499, null) }, shards: [shard(0, { workers: [worker({ gcMaxMs: 101 })] })] }),
    ],
  },
  'loop-delay': {
    speaks: [
      // Half of a p99 of 9 ms.
      withConnect(9000, { loopDelayP99Ms: 4.6 }),
      // A single stall of more than a hundredth of the window.
      withConnect(9000, { loopDelayMaxMs: 101.1 }),
      run({
        metrics: { publishAck: metric(503, 9000) },
        shards: [shard(0, { workers: [worker({ holdsSubscribers: false, loopDelayP99Ms: 4.6 })] })],
      }),
    ],
    silent: [
      withConnect(9000, { loopDelayP99Ms: 4.4 }),
      withConnect(9000, { loopDelayMaxMs: 99.9 }),
      // Below what timers can tell.
      withConnect(1009, { loopDelayP99Ms: 2.9 }),
      withConnect(9000, { loopDelayP99Ms: 11, holdsSubscribers: false }),
      run({
        metrics: { connect: metric(503, null) },
        shards: [shard(0, { workers: [worker({ loopDelayP99Ms: 97 })] })],
      }),
      run({
        metrics: { connect: metric(503, 9000) },
        stampedBy: {},
        shards: [shard(0, { workers: [worker({ loopDelayP99Ms: 97 })] })],
      }),
    ],
  },
  'publish-lag': {
    speaks: [run({ metrics: { deliveryFromIntended: metric(3001, 17_000), publishLag: metric(53, 3401) } })],
    silent: [
      run({ metrics: { deliveryFromIntended: metric(3001, 17_000), publishLag: metric(53, 3400) } }),
      // A fifth of a small figure is less than the rig can tell.
      run({ metrics: { deliveryFromIntended: metric(301, 1009), publishLag: metric(53, 997) } }),
      run({ metrics: { deliveryFromIntended: metric(301, 1009), publishLag: metric(53, null) } }),
    ],
  },
  'schedule-missed': {
    speaks: [run({ achievedPerSecond: 9.79 }), run({ achievedPerSecond: 0 })],
    silent: [run({ achievedPerSecond: 9.81 }), run({ achievedPerSecond: null }), run({ offeredPerSecond: null })],
  },
  'descriptor-headroom': {
    speaks: [withShards({}, { descriptorsUsed: 901, descriptorLimit: 1000 })],
    silent: [
      withShards({}, { descriptorsUsed: 900, descriptorLimit: 1000 }),
      withShards({}, { descriptorsUsed: 900, descriptorLimit: null }),
      withShards({}, { descriptorsUsed: null, descriptorLimit: 1000 }),
    ],
  },
};

describe('the rules of the verdict', () => {
  it('each have a run that they speak against, and a neighbour', () => {
    expect(Object.keys(pairs).sort()).toEqual(verdictRules.map(({ rule }) => rule).sort());
    for (const { speaks, silent } of Object.values(pairs))
      expect(Math.min(speaks.length, silent.length)).toBeGreaterThan(0);
  });

  it.each(verdictRules.map((rule) => [rule.rule, rule] as const))('%s', (name, rule) => {
    for (const facts of pairs[name]?.speaks ?? []) {
      const said = judge(facts).evidence.find((each) => each.rule === name);
      expect(said).toMatchObject({ rule: name, level: rule.level });
      expect(said?.text).toMatch(/\w/);
      expect(said?.text).not.toMatch(/undefined|NaN|null/);
    }
    for (const facts of pairs[name]?.silent ?? []) {
      expect(judge(facts).evidence.filter((each) => each.rule === name)).toEqual([]);
    }
  });

  it('say why their threshold stands where it does', () => {
    for (const { reason } of verdictRules) expect(reason).toMatch(/^\S.{20,}[^.]$/);
  });

  it('stand with those that void first', () => {
    const levels = verdictRules.map(({ level }) => level);
    expect(levels.lastIndexOf('void')).toBeLessThan(levels.indexOf('limited'));
  });
});

describe('judge', () => {
  it('finds a comfortable run clean', () => {
    expect(judge(run())).toEqual({ rig: 'clean', evidence: [] });
  });

  it('limits a run by any rule, with the figures', () => {
    expect(judge(run({ achievedPerSecond: 7 }))).toEqual({
      rig: 'limited',
      evidence: [{ rule: 'schedule-missed', level: 'limited', text: 'achieved 7.00/s of 10.00/s offered' }],
    });
  });

  it('voids rather than limits, and keeps all evidence', () => {
    const { rig, evidence } = judge(run({ achievedPerSecond: 7, clockFaults: 3 }));
    expect(rig).toBe('void');
    expect(evidence.map(({ rule }) => rule)).toEqual(['clock-fault', 'schedule-missed']);
  });

  it('names the worst worker, and how many others there are', () => {
    const workers = [0.93, 0.97, 0.91].map((utilization, at) => worker({ label: `worker ${at}`, utilization }));
    expect(judge(run({ shards: [shard(0), shard(1, { workers })] })).evidence).toEqual([
      {
        rule: 'loop-utilization',
        level: 'limited',
        text: 'shard 1 worker 1 was busy 97.0 % of the time (and 2 more workers)',
      },
    ]);
  });
});
