import { describe, expect, it } from 'vitest';
import { metric, run, shard, withDelivery, worker } from '../../../test/doubles/golden-facts.js';
import { naming } from '../../../test/refusal.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import { doubtRules, doubtsOf } from './doubts.js';
import type { LoopFacts, RunFacts, ThresholdFacts } from './facts.js';
import { judge } from './verdict.js';

const threshold = (
  metricName: string,
  figure: 'p99' | 'max',
  boundMs: number,
  valueMs: number | null,
): ThresholdFacts => ({
  ...{ text: `${metricName}.${figure}<${boundMs}ms`, kind: 'figure', metric: metricName, figure, comparison: '<' },
  bound: boundMs * 1000,
  value: valueMs === null ? null : valueMs * 1000,
});
/** Of 800 ms at most 12 are not the rig's. */
const stalled = (...thresholds: ThresholdFacts[]): RunFacts => ({
  ...withDelivery(metric(7001, 9001, 800_000), metric(7001, 9001, 12_000)),
  thresholds,
});
const atEase: LoopFacts = {
  loopDelayP99Ms: 2.9,
  utilization: 0.41,
  runQueueWaitMs: 7,
  windowMs: 1009,
  gcMaxMs: 2.3,
};
const ramped = (ramp: Partial<LoopFacts>, ...thresholds: ThresholdFacts[]): RunFacts =>
  run({
    metrics: {
      ...run().metrics,
      connect: metric(1_400_000, 2_900_000),
      subscribe: { ...metric(null, null), count: 0 },
    },
    declared: { ...run().declared, connect: { stampedBy: 'ramp' }, subscribe: { stampedBy: 'ramp' } },
    shards: [shard(0), shard(1, { workers: [worker({ ramp: { ...atEase, ...ramp } })] })],
    thresholds,
  });

holdPairs(doubtRules, {
  'promise-undecided': {
    speaks: [
      stalled(threshold('delivery', 'max', 500, 800)),
      ramped({ utilization: 0.97 }, threshold('connect', 'p99', 1000, 2900)),
    ],
    silent: [
      // Kept or broken at both ends.
      stalled(threshold('delivery', 'max', 1000, 800), threshold('delivery', 'max', 10, 800)),
      stalled(threshold('delivery', 'p99', 5, 9.001), threshold('delivery', 'max', 500, null)),
      ramped({}, threshold('connect', 'p99', 1000, 2900)),
      ramped({ utilization: 0.97 }, threshold('connect', 'p99', 3000, 2900)),
    ],
  },
});

describe('the doubts of a run', () => {
  it('are none of a comfortable one', () => {
    expect(doubtsOf(run())).toEqual([]);
    expect(doubtsOf(ramped({}))).toEqual([]);
  });

  it('say how much of a maximum may be the rig’s, and leave the verdict as it is', () => {
    const { rig, doubts } = judge(stalled());
    expect(rig).toBe('clean');
    expect(doubts?.map(({ metric: name, figure, leastUs }) => [name, figure, leastUs])).toEqual([
      ['delivery', 'max', 12_000],
    ]);
    expect(doubts?.[0]?.text).toEqual(naming('delivery max', '800.0 ms', '788.0 ms'));
  });

  it('have the lag of publishes in what counts from the intended instant', () => {
    const facts = stalled();
    const { metrics } = facts;
    const doubts = doubtsOf({
      ...facts,
      metrics: { ...metrics, deliveryFromIntended: metric(7001, 9001, 850_000), publishLag: metric(53, 97, 30_000) },
    });
    expect(doubts.map(({ metric: name, figure, leastUs }) => [name, figure, leastUs])).toEqual([
      ['delivery', 'max', 12_000],
      ['deliveryFromIntended', 'max', 32_000],
    ]);
  });

  it('look at p99.9 where there is one', () => {
    const facts = withDelivery(metric(7001, 9001, 9001, { p999: 31_000 }), metric(7001, 9001, 9001, { p999: 9001 }));
    expect(doubtsOf(facts).map(({ metric: name, figure }) => [name, figure])).toEqual([['delivery', 'p999']]);
  });

  it.each<[string, Partial<LoopFacts>]>([
    ['busy', { utilization: 0.97 }],
    ['waited for a core', { runQueueWaitMs: 307 }],
    ['late', { loopDelayP99Ms: 1601 }],
  ])('name what a loop of the ramp stamped that was %s, and no other', (word, ramp) => {
    const { rig, doubts } = judge(ramped(ramp));
    expect(rig).toBe('clean');
    expect(doubts?.map(({ metric: name, figure, leastUs }) => [name, figure, leastUs])).toEqual([['connect', null, 0]]);
    expect(doubts?.[0]?.text).toMatch(new RegExp(`^connect: .*shard 1 worker 0 .*${word}`));
  });

  it('are none where nothing is known of the ramp', () => {
    expect(doubtsOf({ ...ramped({}), shards: [shard(0)] })).toEqual([]);
  });
});
