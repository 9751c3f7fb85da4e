import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measuredOn, type NoisyMachine } from '../../../test/worlds/noisy-machine.js';
import { conclude } from './conclude.js';
import { signedRank } from './location.js';
import { errorAt } from './looks.js';
import { slotOrder } from './order.js';
import { slotsMs, slotTimes } from './slots.js';
import { fitStarts, type Rounds } from './starts.js';

describe('the order of the slots', () => {
  const plans = fc.record({
    seed: fc.nat(1e6),
    targets: fc.integer({ min: 2, max: 9 }),
    blocks: fc.integer({ min: 1, max: 3 }),
  });
  const blockOf = (targets: number): number => (targets % 2 === 0 ? targets : 2 * targets);

  it('is balanced: each target at each place, and behind each other one, equally often', () => {
    fc.assert(
      fc.property(plans, ({ seed, targets, blocks }) => {
        const rounds = blockOf(targets);
        const order = slotOrder(seed, targets, rounds * blocks);
        for (let block = 0; block < blocks; block++) {
          const own = order.slice(block * rounds, (block + 1) * rounds);
          const places = new Map<string, number>();
          const follows = new Map<string, number>();
          for (const row of own) {
            expect(row.toSorted((a, b) => a - b)).toEqual(row.map((_, target) => target));
            row.forEach((target, place) => {
              places.set(`${target}@${place}`, (places.get(`${target}@${place}`) ?? 0) + 1);
              if (place > 0)
                follows.set(`${row[place - 1]}>${target}`, (follows.get(`${row[place - 1]}>${target}`) ?? 0) + 1);
            });
          }
          expect(new Set(places.values())).toEqual(new Set([rounds / targets]));
          expect(places.size).toBe(targets ** 2);
          expect(new Set(follows.values())).toEqual(new Set([rounds / targets]));
          expect(follows.size).toBe(targets * (targets - 1));
        }
      }),
    );
  });

  it('gives every target one slot a round, none before the last one of that round’s predecessor', () => {
    fc.assert(
      fc.property(plans, ({ seed, targets }) => {
        const plan = { seed, targets, rounds: 17, slotMs: 40 };
        const times = Array.from({ length: targets }, (_, target) => slotTimes(plan, target));
        const all = times.flatMap((own) => [...own]).sort((a, b) => a - b);
        expect(all).toHaveLength(targets * 17);
        all.forEach((atNs, slot) => {
          expect(atNs / 40e6 - slot).toBeGreaterThanOrEqual(0);
          expect(atNs / 40e6 - slot).toBeLessThan(0.4);
        });
        expect(all.at(-1)).toBeLessThan(slotsMs(plan) * 1e6);
        expect(times).toEqual(Array.from({ length: targets }, (_, target) => slotTimes(plan, target)));
      }),
    );
  });
});

describe('the centre of differences', () => {
  it('is the median of pairwise means', () => {
    // 1 to 30 and a stall.
    const found = signedRank([...Array.from({ length: 30 }, (_, n) => n + 1), 1000], 0.95);
    expect(found?.centre).toBe(16);
    expect(found?.low).toBeGreaterThan(11);
    expect(found?.high).toBeLessThan(21);
    expect(signedRank([1, 2, 3], 0.95)).toBeUndefined();
  });

  it('moves with its values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 10, maxLength: 40 }),
        fc.integer(),
        (values, by) => {
          const [one, other] = [
            signedRank(values, 0.95),
            signedRank(
              values.map((each) => each + (by % 1000)),
              0.95,
            ),
          ];
          expect(other?.centre).toBeCloseTo((one?.centre ?? 0) + (by % 1000), 6);
          expect(one!.low).toBeLessThanOrEqual(one!.centre);
          expect(one!.high).toBeGreaterThanOrEqual(one!.centre);
        },
      ),
    );
  });
});

describe('several starts', () => {
  const flat = (values: readonly number[]): Rounds => Array.from({ length: 12 }, () => [...values]);

  it('cancel what a start does to all targets', () => {
    const fit = fitStarts([flat([0, 1, 3]), flat([5, 6, 8]), flat([-2, -1, 1])]);
    expect(fit?.variance).toBeCloseTo(0, 12);
    expect(fit?.freedom).toBe(4);
    expect(fit?.effects[1]?.map((each, _, [first = 0]) => each - first)).toEqual([0, 1, 3]);
  });

  it('are at least three, and every target has rounds in each', () => {
    expect(fitStarts([flat([0, 1]), flat([0, 1])])).toBeUndefined();
    expect(fitStarts([flat([0, 1]), flat([0, 1]), flat([0, Number.NaN])])).toBeUndefined();
  });
});

const errorsAt = (starts: number) => (statements: number) =>
  errorAt({ starts, planned: 6, isLast: starts === 6 }, statements);
const afterAll = { error: errorsAt(6), equalWithin: 0.05 };

describe.each<[string, Pick<NoisyMachine, 'stalls' | 'episodesEveryS'>]>([
  ['a shared machine', { stalls: 0.03, episodesEveryS: 20 }],
  ['a machine slow 40 % of the time', { stalls: 0.05, episodesEveryS: 10 }],
])('simulated on %s', (_, noise) => {
  const truth = [0, Math.log(1.1), Math.log(1.4), 0];
  const machines = Array.from({ length: 250 }, (_machine, seed) => ({
    ...noise,
    seed: Math.imul(seed + 1, 2_654_435_761) >>> 3,
    truth,
    starts: 6,
    rounds: 40,
    betweenStarts: 0.04,
  }));
  const found = machines.map((machine) => conclude(measuredOn(machine), afterAll)!);

  it('printed intervals cover the truth at least 93 % of the time', () => {
    const held = found.flat().filter(({ a, b, interval: [low, high] }) => {
      const ratio = Math.exp(truth[a]! - truth[b]!);
      return low <= ratio && ratio <= high;
    });
    expect(held.length / found.flat().length).toBeGreaterThanOrEqual(0.93);
  });

  it('equal servers are told apart in at most one of twenty comparisons, whenever one looks', () => {
    // Fewer rounds cost less, and more machines say more of one in twenty.
    const equal = Array.from({ length: 1000 }, (_machine, seed) => ({
      ...machines[0]!,
      seed: Math.imul(seed + 7001, 2_654_435_761) >>> 3,
      truth: [0, 0, 0, 0],
      rounds: 20,
    }));
    const wrong = equal.filter((machine) => {
      const starts = measuredOn(machine);
      return [3, 4, 5, 6].some((looked) =>
        conclude(starts.slice(0, looked), { ...afterAll, error: errorsAt(looked) })!.some(
          ({ conclusion }) => conclusion === 'apart',
        ),
      );
    });
    expect(wrong.length).toBeLessThanOrEqual(equal.length / 20);
  });

  it('a server 1.1 times as slow is told in two of three comparisons', () => {
    const told = found.filter((pairs) => pairs.some(({ a, b, conclusion }) => a + b === 1 && conclusion === 'apart'));
    expect(told.length).toBeGreaterThanOrEqual((found.length * 2) / 3);
  });

  it('a server 1.4 times as slow is always told', () => {
    for (const pairs of found) {
      const pair = pairs.find(({ a, b }) => a === 0 && b === 2)!;
      expect([pair.conclusion, pair.ratio < 1]).toEqual(['apart', true]);
    }
  });
});
