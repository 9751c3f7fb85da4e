import { expect, it } from 'vitest';
import { metric, run, withCores, withShards, worker } from '../../../test/doubles/golden-facts.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import type { RunFacts } from './facts.js';
import { machineRules } from './machine-rules.js';
import { judge } from './verdict.js';

/** A run of shards whose loops wait for a core for such shares of the time. */
function withWaits(...shares: number[]): RunFacts {
  return withShards(
    ...shares.map((share) => ({ workers: [worker({ windowMs: 10_000, runQueueWaitMs: share * 10_000 })] })),
  );
}

holdPairs(machineRules, {
  'cores-busy': {
    speaks: [
      withCores([0.95, 0.95]),
      withCores([1, 0.9]),
      withCores([1]),
      withShards({}, { coreBusy: [1, 1], workers: [worker({ windowMs: 97 }), worker({ windowMs: 1009 })] }),
    ],
    silent: [
      withCores([0.95, 0.94]),
      // One pinned core is a target's, or a loop's of its own rule.
      withCores([1, 0.89]),
      withCores([]),
      withShards({}, { coreBusy: [1, 1], workers: [worker({ windowMs: 997 })] }),
      withShards({}, { coreBusy: [1, 1], workers: [] }),
    ],
  },
  'shard-behind': {
    speaks: [withWaits(0, 0, 0.11), withWaits(0.31, 0.2, 0.1, 0.2, 0.1)],
    silent: [
      withWaits(0, 0, 0.1),
      // All machines are busy alike, or it is not known which of two is the odd one.
      withWaits(0.5, 0.6, 0.5),
      withWaits(0, 0.9),
      // Equal shards on one machine, busy with much else: some of ten such runs, with the farthest apart.
      withWaits(0.17, 0.15, 0.18, 0.19),
      withWaits(0.56, 0.52, 0.52),
      withWaits(0.29, 0.27, 0.26, 0.27, 0.27),
      withWaits(0.88, 0.89, 0.92),
    ],
  },
  steal: {
    speaks: [withShards({}, { stolenShare: 0.21 })],
    silent: [
      withShards({}, { stolenShare: 0.2 }),
      withShards({}, {}),
      withShards({}, { stolenShare: 0.97, workers: [worker({ windowMs: 997 })] }),
    ],
  },
  'calibrated-error': {
    speaks: [run({ calibratedErrorUs: 20_000 }), run({ calibratedErrorUs: -20_000 })].map((facts) => ({
      ...facts,
      metrics: { ...facts.metrics, delivery: metric(11_000, 97_000) },
    })),
    silent: [run({ calibratedErrorUs: 19_000 }), run({ calibratedErrorUs: null })].map((facts) => ({
      ...facts,
      metrics: { ...facts.metrics, delivery: metric(11_000, 97_000) },
    })),
  },
});

/** The marks as metric, figure and lower end, and the verdict of the run. */
const marksOf = (facts: RunFacts) => {
  const { rig, doubts = [] } = judge(facts);
  return [rig, ...doubts.map(({ rule, metric: of, figure, leastUs }) => [rule, of, figure, leastUs])];
};

it('marks each latency with its bracket where no core was idle, and as a whole without one', () => {
  const facts = withCores([1, 1]);
  const metrics = {
    delivery: metric(3001, null, 3001, { p95: null }),
    deliveryAtLeast: metric(2803, null, 3001, { p95: null }),
    connect: metric(503, 1009),
  };
  expect(marksOf({ ...facts, metrics })).toEqual([
    'clean',
    ['cores-busy', 'delivery', 'p50', 2803],
    ['cores-busy', 'delivery', 'p90', 2803],
    ['cores-busy', 'connect', null, 0],
  ]);
});

it('marks every latency of the target where its time was stolen, and no count', () => {
  const facts = withShards({}, { stolenShare: 0.27 });
  expect(marksOf(facts)).toEqual(['clean', ['steal', 'delivery', null, 0]]);
});

it('marks the p99 of deliveries by a calibration, and nothing else', () => {
  const facts = run({ calibratedErrorUs: 20_000, metrics: { delivery: metric(11_000, 97_000) } });
  expect(marksOf(facts)).toEqual(['clean', ['calibrated-error', 'delivery', 'p99', 77_000]]);
});
