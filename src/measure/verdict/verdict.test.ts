import { describe, expect, it } from 'vitest';
import { metric, run, shard, withDelivery, withShards, withTimed, worker } from '../../../test/doubles/golden-facts.js';
import { naming } from '../../../test/refusal.js';
import type { RunFacts } from './facts.js';
import { judge, verdictRules } from './verdict.js';

/** What a rule says at the figures that it marks, each text once. */
const textsOf = (facts: RunFacts, rule: string): string[] => {
  const { doubts = [] } = judge(facts);
  return [...new Set(doubts.filter((each) => each.rule === rule).map(({ text }) => text))];
};

describe('the rules of the verdict', () => {
  it('say where their threshold stands, and why there', () => {
    for (const { threshold, reason } of verdictRules) {
      expect(threshold).toMatch(/^\S.{5,}[^.]$/);
      expect(reason).toMatch(/^\S.{20,}[^.]$/);
    }
  });

  it('have a name each', () => {
    expect(new Set(verdictRules.map(({ rule }) => rule)).size).toBe(verdictRules.length);
  });

  it('stand with those that void first, and those that mark figures last', () => {
    const levels = verdictRules.map(({ level }) => level);
    expect(levels.lastIndexOf('void')).toBeLessThan(levels.indexOf('limited'));
    expect(levels.lastIndexOf('limited')).toBeLessThan(levels.indexOf('figure'));
  });
});

describe('judge', () => {
  it('finds a comfortable run clean', () => {
    expect(judge(run())).toEqual({ rig: 'clean', evidence: [] });
  });

  it('limits a run that was another test, with the figures', () => {
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

  it('leaves a run clean whose figures the rig may have raised, and marks these', () => {
    const whole = metric(2600, 9001, 12_007);
    const { rig, evidence, doubts } = judge(withDelivery(whole, { ...whole, p50: 1900 }));
    expect([rig, evidence]).toEqual(['clean', []]);
    expect(doubts).toMatchObject([{ rule: 'receive-lag', metric: 'delivery', figure: 'p50', leastUs: 1900 }]);
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
