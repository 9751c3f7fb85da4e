import { describe, expect, it } from 'vitest';
import { metric, run } from '../../../test/doubles/golden-facts.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import type { Waited } from '../waits.js';
import type { RunFacts } from './facts.js';
import { targetRules } from './target-rules.js';
import { judge } from './verdict.js';

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
    const { rig, doubts = [] } = judge(starved(0.3633, [3001, 446_003], [2999, 12_007]));
    expect(rig).toBe('clean');
    expect(new Set(doubts.map(({ rule }) => rule))).toEqual(new Set(['target-starved']));
    const marks = doubts.map(({ metric: of, figure, leastUs }) => [of, figure, leastUs]);
    expect(marks).toEqual(
      ['delivery', 'deliveryFromIntended'].flatMap((of) =>
        ['p95', 'p99', 'p999', 'max'].map((figure) => [of, figure, 12_007]),
      ),
    );
    expect([...new Set(doubts.map(({ text }) => text))]).toEqual([expect.stringContaining('2.18 s for one, in 6.0 s')]);
  });

  it('are not the fastest one, as long as waits are rare', () => {
    const ofMin = (share: number): unknown[] => {
      const delivery = metric(9001, 9001, 9001, { min: 7001 });
      const facts = starved(share, [9001, 9001], [9001, 9001]);
      const waits = { ...facts.waits!, least: { delivery: { ...delivery, min: 0 } } };
      return judge({ ...facts, metrics: { delivery, deliveryAtLeast: delivery }, waits }).doubts ?? [];
    };
    expect(ofMin(0.07)).toEqual([]);
    expect(ofMin(0.11)).toMatchObject([{ metric: 'delivery', figure: 'min', leastUs: 0 }]);
  });

  it('have no known lower end where nobody knows when the waits were', () => {
    const { doubts } = judge(connecting(0.11));
    expect(doubts).toMatchObject([{ metric: 'connect', figure: null, leastUs: 0 }]);
  });

  it('are none of the rig’s own, and none without samples', () => {
    const declared = { publishLag: { of: 'rig' }, reconnect: { of: 'target' } } as const;
    const facts = run({ metrics: { publishLag: metric(503, 3001) }, declared });
    expect(judge({ ...facts, waits: { load: waited(0.5), ramp: none, least: {} } }).doubts).toBeUndefined();
  });
});
