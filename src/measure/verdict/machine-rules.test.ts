import { describe, expect, it } from 'vitest';
import { metric, run, withCores, withShards, worker } from '../../../test/doubles/golden-facts.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import type { Waited } from '../waits.js';
import type { RunFacts } from './facts.js';
import { machineRules, targetRules } from './machine-rules.js';
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
const boundsOf = (facts: RunFacts) => {
  const { rig, bounds = [] } = judge(facts);
  return [rig, ...bounds.map(({ rule, metric: of, figure, leastUs }) => [rule, of, figure, leastUs])];
};

it('marks each latency with its bracket where no core was idle, and as a whole without one', () => {
  const facts = withCores([1, 1]);
  const metrics = {
    delivery: metric(3001, null, 3001, { p95: null }),
    deliveryAtLeast: metric(2803, null, 3001, { p95: null }),
    connect: metric(503, 1009),
  };
  expect(boundsOf({ ...facts, metrics })).toEqual([
    'clean',
    ['cores-busy', 'delivery', 'p50', 2803],
    ['cores-busy', 'delivery', 'p90', 2803],
    ['cores-busy', 'connect', null, 0],
  ]);
});

it('marks every latency of the target where its time was stolen, and no count', () => {
  const facts = withShards({}, { stolenShare: 0.27 });
  expect(boundsOf(facts)).toEqual(['clean', ['steal', 'delivery', null, 0]]);
});

it('marks the p99 of deliveries by a calibration, and nothing else', () => {
  const facts = run({ calibratedErrorUs: 20_000, metrics: { delivery: metric(11_000, 97_000) } });
  expect(boundsOf(facts)).toEqual(['clean', ['calibrated-error', 'delivery', 'p99', 77_000]]);
});

const none: Waited = { othersMs: 0, windowMs: 0 };

const waited = (share: number, windowMs = 6000): Waited => ({ othersMs: share * windowMs, windowMs });

/** A run whose target waited that share of the load, with its delivery and what that is at least without the waits. */
const starved = (
  share: number,
  whole: [p50: number, p99: number],
  least: [p50: number, p99: number],
  more: Partial<RunFacts> = {},
): RunFacts => {
  const [delivery, without] = [metric(...whole, whole[1]), metric(...least, least[1])];
  return run({
    metrics: { delivery, deliveryAtLeast: delivery, deliveryFromIntended: delivery },
    waits: { load: waited(share), ramp: none, least: { delivery: without } },
    ...more,
  });
};

const connecting = (share: number, rampMs = 6000): RunFacts =>
  run({
    metrics: { connect: metric(503, 3001) },
    declared: { connect: { of: 'target', stampedBy: 'ramp' } },
    waits: { load: none, ramp: waited(share, rampMs), least: {} },
  });

holdPairs(targetRules, {
  'target-starved': {
    speaks: [
      starved(0.013, [3001, 292_003], [3001, 5003]),
      starved(0.013, [3001, 17_011], [3001, 13_001]),
      // From a tenth of the time on, each tenth of a figure counts.
      starved(0.11, [701, 1901], [503, 1901]),
      connecting(0.11),
    ],
    silent: [
      run(),
      // Nobody counted, rare waits, waits that reach no figure, and a small part of a figure.
      starved(0.5, [3001, 292_003], [3001, 5003], { waits: undefined }),
      starved(0.007, [3001, 292_003], [3001, 5003]),
      starved(0.5, [3001, 17_011], [3001, 17_011]),
      starved(0.07, [701, 1901], [101, 997]),
      connecting(0.07),
      // Shorter than what the readings of the cores tell apart.
      connecting(0.5, 997),
    ],
  },
});

describe('figures of a target that others kept from its cores', () => {
  it('are marked with what the target takes without its waits, and told once', () => {
    const { rig, bounds = [] } = judge(starved(0.3633, [3001, 446_003], [2999, 12_007]));
    expect(rig).toBe('clean');
    expect(new Set(bounds.map(({ rule }) => rule))).toEqual(new Set(['target-starved']));
    const marks = bounds.map(({ metric: of, figure, leastUs }) => [of, figure, leastUs]);
    expect(marks).toEqual(
      ['delivery', 'deliveryFromIntended'].flatMap((of) =>
        ['p95', 'p99', 'p999', 'max'].map((figure) => [of, figure, 12_007]),
      ),
    );
    expect([...new Set(bounds.map(({ text }) => text))]).toEqual([expect.stringContaining('2.18 s for one, in 6.0 s')]);
  });

  it('are not the fastest one, as long as waits are rare', () => {
    const ofMin = (share: number): unknown[] => {
      const delivery = metric(9001, 9001, 9001, { min: 7001 });
      const facts = starved(share, [9001, 9001], [9001, 9001]);
      const waits = { ...facts.waits!, least: { delivery: { ...delivery, min: 0 } } };
      return judge({ ...facts, metrics: { delivery, deliveryAtLeast: delivery }, waits }).bounds ?? [];
    };
    expect(ofMin(0.07)).toEqual([]);
    expect(ofMin(0.11)).toMatchObject([{ metric: 'delivery', figure: 'min', leastUs: 0 }]);
  });

  it('have no known lower end where nobody knows when the waits were', () => {
    const { bounds } = judge(connecting(0.11));
    expect(bounds).toMatchObject([{ metric: 'connect', figure: null, leastUs: 0 }]);
  });

  it('are none of the rig’s own, and none without samples', () => {
    const declared = { publishLag: { of: 'rig' }, reconnect: { of: 'target' } } as const;
    const facts = run({ metrics: { publishLag: metric(503, 3001) }, declared });
    expect(judge({ ...facts, waits: { load: waited(0.5), ramp: none, least: {} } }).bounds).toBeUndefined();
  });
});
