import { describe, expect, it } from 'vitest';
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
import type { LoopFacts, MetricFacts, RunFacts } from './facts.js';
import { loopRules } from './loop-rules.js';
import { judge } from './verdict.js';

const atEase: LoopFacts = { loopDelayP99Ms: 2.9, utilization: 0.41, runQueueWaitMs: 7, windowMs: 1009 };
const ramped = (ramp: Partial<LoopFacts>): RunFacts =>
  run({
    metrics: {
      ...run().metrics,
      connect: metric(1_400_000, 2_900_000),
      subscribe: { ...metric(null, null, 0), max: null, count: 0 },
    },
    declared: { ...run().declared, connect: { stampedBy: 'ramp' }, subscribe: { stampedBy: 'ramp' } },
    shards: [shard(0), shard(1, { workers: [worker({ ramp: { ...atEase, ...ramp } })] })],
  });
const withAck = (publishAck: MetricFacts, loopDelayP99Ms: number): RunFacts =>
  run({
    metrics: { publishAck },
    shards: [shard(0, { workers: [worker({ holdsSubscribers: false, loopDelayP99Ms })] })],
  });
/** A run of flows whose code ran so long on one of the loops, on the native engine or another. */
const withUserCode = (ranMs: number, heldUpMs = 0, windowMs = 10_000, stampedByLoops = false): RunFacts =>
  run({
    declared: {
      delivery: { atLeast: 'deliveryAtLeast' },
      ask: { stampedBy: 'audience', atLeast: 'askAtLeast' },
      http: { stampedBy: 'audience' },
    },
    metrics: { ...run().metrics, ask: metric(3001, 9001), askAtLeast: metric(2999, 8999), http: metric(3001, 9001) },
    shards: [shard(0), shard(1, { stampedByLoops, workers: [worker({ userCode: { windowMs, ranMs, heldUpMs } })] })],
  });
const fromIntended = (us: number, publishLag: MetricFacts, delivery = metric(us, us, us)): RunFacts =>
  run({ metrics: { delivery, deliveryFromIntended: metric(us, us, us), publishLag } });

const laps = { lap: { atLeast: 'lapAtLeast' }, 'lap:first': { partOf: 'lap' } };
const openLaps = { lap: metric(10_000, 10_000), lapAtLeast: metric(7000, 7000) };

holdPairs(loopRules, {
  'receive-lag': {
    speaks: [
      // A tenth of the figure is the bound, from a millisecond on.
      withDelivery(metric(10_000, 20_000), metric(8999, 20_000)),
      withDelivery(metric(10_000, 20_000), metric(10_000, 17_999)),
      // Below, it is a tenth of a millisecond.
      withDelivery(metric(401, 3001), metric(300, 3001)),
      withDelivery(metric(7001, 9001, 9001, { mean: 5003 }), metric(7001, 9001, 9001, { mean: 4001 })),
      // One stall of the machine makes a tail.
      withDelivery(metric(7001, 9001, 800_000), metric(7001, 9001, 12_000)),
      // Any metric with a bracket.
      run({
        declared: { lap: { atLeast: 'lapAtLeast' } },
        metrics: { lap: metric(10_000, 20_000), lapAtLeast: metric(8999, 20_000) },
      }),
      // A part by name, as its family is as open.
      run({ declared: laps, metrics: { ...openLaps, 'lap:first': metric(9000, 9000) } }),
    ],
    silent: [
      run({
        declared: laps,
        metrics: { ...openLaps, lapAtLeast: metric(9999, 9999), 'lap:first': metric(9000, 9000) },
      }),
      withDelivery(metric(10_000, 20_000), metric(9000, 18_000)),
      withDelivery(metric(401, 3001), metric(301, 2701)),
      withDelivery(metric(null, null), metric(null, null)),
      run({ declared: {}, metrics: { delivery: metric(10_000, 20_000), deliveryAtLeast: metric(1, 1) } }),
      run({ metrics: {} }),
    ],
  },
  'publish-lag': {
    speaks: [
      fromIntended(17_000, metric(53, 1701, 1701), metric(15_000, 15_000, 15_000)),
      // Any metric that counts from a schedule.
      run({
        declared: { lapFromIntended: { fromIntended: { sent: 'lap', lag: 'startLag' } } },
        metrics: { lap: metric(301, 13_000), lapFromIntended: metric(3001, 17_000), startLag: metric(53, 3401) },
      }),
      // A hundred broadcasts carry no p99 of their lag: some of them left 300 ms late.
      fromIntended(301_001, metric(53, null, 299_993, { p95: 53 }), metric(3001, 9001)),
      fromIntended(301_001, few(299_993), metric(3001, 9001)),
    ],
    silent: [
      // Publishes were late, but the late ones made none of the slowest deliveries.
      fromIntended(17_000, metric(53, 7001), metric(15_300, 15_300, 15_300)),
      fromIntended(17_000, metric(53, 1700, 1700), metric(3001, 3001, 3001)),
      // A tenth of a small figure is less than a clock can tell.
      fromIntended(301, metric(53, 97, 97), metric(199, 199, 199)),
      run({ metrics: { deliveryFromIntended: metric(3001, 17_000) } }),
    ],
  },
  'loop-delay': {
    speaks: [
      // Half of a p99 of 9 ms.
      withConnect(9000, { loopDelayP99Ms: 4.6 }),
      withAck(metric(503, 9000), 4.6),
      // Of a hundred answers p95 is the highest percentile, of seven there is only the max.
      withAck(metric(3001, null, 97_000, { p95: 9000 }), 4.6),
      withAck(few(9000), 4.6),
      // A loop without a core.
      withConnect(9000, { runQueueWaitMs: 1001 }),
      ramped({ runQueueWaitMs: 307 }),
      ramped({ loopDelayP99Ms: 1601 }),
    ],
    silent: [
      withConnect(9000, { loopDelayP99Ms: 4.4 }),
      withAck(metric(3001, null, 97_000, { p95: 9000 }), 4.4),
      // Below what timers can tell.
      withConnect(1009, { loopDelayP99Ms: 2.9 }),
      withConnect(9000, { loopDelayP99Ms: 11, holdsSubscribers: false }),
      withConnect(9000, { runQueueWaitMs: 1000 }),
      withConnect(9000, { runQueueWaitMs: null }),
      withConnect(9000, { runQueueWaitMs: 7, windowMs: 0 }),
      // The bracket holds what the loop adds.
      withWorker({ loopDelayP99Ms: 97, runQueueWaitMs: 5003 }),
      ramped({}),
      { ...withConnect(9000, { loopDelayP99Ms: 97 }), declared: { connect: {} } },
    ],
  },
  'loop-utilization': {
    speaks: [
      withWorker({ utilization: 0.91 }),
      { ...withConnect(9000, { utilization: 0.91 }), declared: { connect: { stampedBy: 'audience' } } },
      ramped({ utilization: 0.97 }),
    ],
    silent: [
      withWorker({ utilization: 0.9 }),
      withWorker({ utilization: 0.99, holdsSubscribers: false }),
      ramped({ utilization: 0.9 }),
    ],
  },
  'user-code': {
    speaks: [withUserCode(3001), withUserCode(0, 3001)],
    silent: [
      withUserCode(2000, 2000),
      withUserCode(1000),
      { ...withUserCode(3001), declared: {} },
      run({ metrics: {}, shards: withUserCode(3001).shards }),
      withUserCode(3001, 0, 0),
    ],
  },
});

/** The marks of a run as rule, metric, figure and lower end. */
const boundsOf = (facts: RunFacts) =>
  (judge(facts).bounds ?? []).map(({ rule, metric: of, figure, leastUs }) => [rule, of, figure, leastUs]);

describe('the marks at figures', () => {
  it('are none in a comfortable run', () => {
    expect(boundsOf(run())).toEqual([]);
    expect(boundsOf(ramped({}))).toEqual([]);
    expect(boundsOf({ ...ramped({}), shards: [shard(0)] })).toEqual([]);
  });

  it.each([
    ['below a fifth of a loop', 1000, false, []],
    ['at a fifth of a loop', 2000, false, []],
    ['above a fifth of a loop on the native engine', 3000, false, ['ask', 'http']],
    ['above a fifth of a loop on the JavaScript engine', 3000, true, ['delivery', 'ask', 'http']],
  ])('are at what loops stamp if code of flows runs %s', (_name, ranMs, isOfLoops, metrics) => {
    const marks = boundsOf(withUserCode(ranMs, 0, 10_000, isOfLoops));
    expect(new Set(marks.map(([, of]) => of))).toEqual(new Set(metrics));
    expect(marks).toEqual(marks.filter(([rule]) => rule === 'user-code'));
    const lower =
      metrics.length > 0
        ? [
            ['user-code', 'ask', 'p99', 8999],
            ['user-code', 'http', null, 0],
          ]
        : [];
    expect(marks).toEqual(expect.arrayContaining(lower));
  });

  it('stand at each figure by itself, with its lower end', () => {
    const facts = withDelivery(metric(7001, 9001, 800_000), { ...metric(7001, 9001, 12_000), p90: 3001 });
    expect(boundsOf(facts)).toEqual([
      ['receive-lag', 'delivery', 'p90', 3001],
      ['receive-lag', 'delivery', 'max', 12_000],
    ]);
    expect(judge(facts).rig).toBe('clean');
  });

  it('have the waits of the delivery and the lag of its send in what counts from the intended instant', () => {
    const least = { ...metric(7001, 9001, 12_000), p999: 9001 };
    const metrics = {
      delivery: metric(7001, 9001, 80_000),
      deliveryAtLeast: least,
      deliveryFromIntended: metric(7001, 9001, 110_000),
      publishLag: metric(53, 97, 30_000),
    };
    expect(boundsOf(run({ metrics }))).toEqual([
      ['receive-lag', 'delivery', 'max', 12_000],
      ['receive-lag', 'deliveryFromIntended', 'max', 12_000],
      ['publish-lag', 'deliveryFromIntended', 'max', 12_000],
    ]);
  });

  it.each<[string, Partial<LoopFacts>]>([
    ['loop-utilization', { utilization: 0.97 }],
    ['loop-delay', { runQueueWaitMs: 307 }],
    ['loop-delay', { loopDelayP99Ms: 1601 }],
  ])('name what a loop of the ramp stamped by %s, and no other', (rule, ramp) =>
    expect(boundsOf(ramped(ramp))).toEqual([[rule, 'connect', null, 0]]),
  );
});

it('a part by name is marked by as much as its family leaves open', () => {
  const facts = run({ declared: laps, metrics: { ...openLaps, 'lap:first': metric(9000, 9000) } });
  const marks = judge(facts).bounds?.filter(({ metric: name, figure }) => name === 'lap:first' && figure === 'p99');
  expect(marks).toMatchObject([{ rule: 'receive-lag', leastUs: 6000 }]);
});
