import { describe, expect, it } from 'vitest';
import { metric, run, shard, withShards, withTimed, worker } from '../../../test/doubles/golden-facts.js';
import { naming } from '../../../test/refusal.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import type { RunFacts } from './facts.js';
import { leastUs } from './facts.js';
import { linkRules } from './machine-rules.js';
import { judge, verdictRules } from './verdict.js';

/** What a rule says at the figures that it marks, each text once. */
const textsOf = (facts: RunFacts, rule: string): string[] => {
  const { bounds = [] } = judge(facts);
  return [...new Set(bounds.filter((each) => each.rule === rule).map(({ text }) => text))];
};

describe('the rules of the verdict', () => {
  it('say where their threshold stands, and why there', () => {
    for (const { threshold, reason } of verdictRules) {
      expect(threshold).toMatch(/^\S.{5,}[^.]$/);
      expect(reason).toMatch(/^\S.{20,}[^.]$/);
    }
  });

  it('have a name each', () => expect(new Set(verdictRules.map(({ rule }) => rule)).size).toBe(verdictRules.length));

  it('stand with those that void first, and those that mark figures last', () => {
    const levels = verdictRules.map(({ level }) => level);
    expect(levels.lastIndexOf('void')).toBeLessThan(levels.indexOf('limited'));
    expect(levels.lastIndexOf('limited')).toBeLessThan(levels.indexOf('figure'));
  });
});

describe('judge', () => {
  it('limits a run that was another test, with the figures', () =>
    expect(judge(run({ achievedPerSecond: 7 }))).toEqual({
      rig: 'limited',
      evidence: [{ rule: 'schedule-missed', level: 'limited', text: 'achieved 7.00/s of 10.00/s offered' }],
    }));

  it('voids rather than limits, and keeps all evidence', () => {
    const { rig, evidence } = judge(run({ achievedPerSecond: 7, clockFaults: 3 }));
    expect(rig).toBe('void');
    expect(evidence.map(({ rule }) => rule)).toEqual(['clock-fault', 'schedule-missed']);
  });

  it('names the machine whose cores were busiest', () => {
    const facts = withShards({ coreBusy: [0.96, 0.96] }, { coreBusy: [0.97, 0.99] });
    expect(textsOf(facts, 'cores-busy')).toEqual([naming('2 cores', 'shard 1', '98.0 %')]);
  });

  it('tells of clocks that changed and of times that no clock can have given, both', () => {
    const shards = [shard(0), shard(1, { clockId: 'boot-13/time:[11]' })];
    expect(judge({ ...withTimed(10_709), shards }).evidence).toEqual([
      {
        rule: 'clock-id',
        level: 'void',
        text: naming('boot-13/time:[11]', 'boot-7/time:[11]', 10_709, 10_706),
      },
    ]);
  });

  it('names the worst worker, and how many others there are', () => {
    const workers = [0.93, 0.97, 0.91].map((utilization, at) => worker({ label: `worker ${at}`, utilization }));
    expect(textsOf(run({ shards: [shard(0), shard(1, { workers })] }), 'loop-utilization')).toEqual([
      naming('shard 1 worker 1', '97.0 %', '2 more'),
    ]);
  });
});

/** A run of which losses can have delayed a share, with its delivery and what that is at least. */
const lossy = (whole: [p50: number, p99: number], least: [p50: number, p99: number], more: Partial<RunFacts> = {}) => {
  const [delivery, without] = [metric(...whole, whole[1]), metric(...least, least[1])];
  return run({
    metrics: { delivery, deliveryAtLeast: delivery },
    link: { lateShare: 0.02, text: '5 of 503 data segments sent again', least: { delivery: without } },
    ...more,
  });
};

holdPairs(linkRules, {
  'link-lossy': {
    speaks: [
      lossy([3001, 292_003], [3001, 5003]),
      lossy([3001, 17_011], [3001, 13_001]),
      lossy([9001, 9001], [7001, 7001]),
    ],
    silent: [
      run(),
      // Losses of others, while the slowest deliveries were no slower than the rest.
      lossy([3001, 17_011], [3001, 14_001]),
      lossy([301, 1901], [301, 997]),
      lossy([3001, 17_011], [3001, 5003], { link: undefined }),
    ],
  },
});

it('figures that lost segments can have written are marked with the least that is the target’s, once a metric', () => {
  const { rig, bounds = [] } = judge(lossy([3001, 292_003], [3001, 5003]));
  expect(rig).toBe('clean');
  expect(bounds.map(({ metric: of, figure, leastUs }) => [of, figure, leastUs])).toEqual([
    ['delivery', 'p95', 5003],
    ['delivery', 'p99', 5003],
    ['delivery', 'p999', 5003],
    ['delivery', 'max', 5003],
  ]);
  expect(new Set(bounds.map(({ text }) => text)).size).toBe(1);
});

const metrics = {
  delivery: metric(3001, 17_011, 97_003),
  deliveryAtLeast: metric(2803, 16_007, 96_001),
  deliveryFromIntended: metric(3011, 17_021, 97_013),
  publishAck: metric(503, 9001),
};

const facts = { metrics, declared: run().declared };

it('a figure is at least what its bracket says, also from the scheduled instant, and else itself', () => {
  expect(leastUs(facts, [], 'delivery', 'p99')).toBe(16_007);
  expect(leastUs(facts, [], 'deliveryFromIntended', 'p50')).toBe(2803);
  expect(leastUs(facts, [], 'publishAck', 'p50')).toBe(503);
  expect(leastUs(facts, [], 'delivery', 'mean')).toBeNull();
});

it('the lowest mark at it counts, of this figure or of all', () => {
  const marks = [
    { metric: 'delivery', figure: 'p99' as const, leastUs: 15_013 },
    { metric: 'publishAck', figure: null, leastUs: 0 },
  ];
  expect(leastUs(facts, marks, 'delivery', 'p99')).toBe(15_013);
  expect(leastUs(facts, marks, 'delivery', 'p50')).toBe(2803);
  expect(leastUs(facts, marks, 'publishAck', 'p99')).toBe(0);
});
