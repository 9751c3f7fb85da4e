import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { measuredOn, type NoisyMachine } from '../../../test/worlds/noisy-machine.js';
import { drawsOf } from '../stats/bootstrap.js';
import { studentReach } from '../stats/trend.js';
import { errorAt } from './compare-starts.js';
import { concludePairs } from './conclude.js';
import { clearUs, roundMs, slotMsFor, slotOrder, slotTimes } from './slots.js';
import { changeWithin, pairOverStarts, type Rounds, reachAt, shrunkPairs } from './starts.js';

describe('the order of the slots', () => {
  const plans = fc.record({
    seed: fc.nat(1e6),
    targets: fc.integer({ min: 2, max: 9 }),
    blocks: fc.integer({ min: 1, max: 3 }),
  });
  const blockOf = (targets: number): number => (targets % 2 === 0 ? targets : 2 * targets);

  it('is balanced: each target at each place, and behind each other one, equally often', () =>
    law(plans, ({ seed, targets, blocks }) => {
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
    }));

  it('gives every target one slot a round, and each slot ends before the next begins', () => {
    fc.assert(
      fc.property(plans, fc.infiniteStream(fc.integer({ min: 20, max: 5003 })), ({ seed, targets }, lengths) => {
        const slotsMs = Array.from({ length: targets }, () => lengths.next().value as number);
        const plan = { seed, rounds: 17, slotsMs };
        const slots = slotsMs.flatMap((slotMs, target) =>
          [...slotTimes(plan, target)].map((beginNs, round) => ({
            ...{ beginMs: beginNs / 1e6, slotMs, clearMs: clearUs(plan, target)[round]! / 1000 },
          })),
        );
        slots.sort((a, b) => a.beginMs - b.beginMs);
        expect(slots).toHaveLength(targets * 17);
        const wrong = slots.filter(({ beginMs, slotMs, clearMs }, at) => {
          const next = slots[at + 1]?.beginMs;
          const isUntilNext = next === undefined ? clearMs === Infinity : Math.abs(beginMs + clearMs - next) < 1e-6;
          return !isUntilNext || clearMs < slotMs - Math.min(16, 0.4 * slotMs) - 1e-6;
        });
        expect(wrong).toEqual([]);
        expect(slots.at(-1)!.beginMs).toBeLessThan(17 * roundMs(slotsMs));
      }),
    );
  });

  it('has slots with room for what is under way, whatever it is spread over', () =>
    law(fc.double({ min: 0, max: 20_000, noNaN: true }), fc.constantFrom(0, 0.4), (lastMs, spread) => {
      const slotMs = slotMsFor(lastMs, spread);
      expect(slotMs * (1 - spread) - 16).toBeGreaterThanOrEqual(Math.min(1.5 * lastMs, slotMs));
      expect(slotMs).toBeGreaterThanOrEqual(20);
    }));
});

describe('a pair over several starts', () => {
  const flat = (values: readonly number[]): Rounds => Array.from({ length: 12 }, () => [...values]);

  it('cancels what a start does to both', () => {
    const pair = pairOverStarts([flat([0, 1, 3]), flat([5, 6, 8]), flat([-2, -1, 1])], 1, 0);
    expect(pair).toMatchObject({ centre: 1, variance: 0, freedom: 2, ofStarts: [1, 1, 1] });
  });

  it('is the median of the differences, which half of the rounds do not move', () => {
    const two = (slow: number): Rounds => Array.from({ length: 13 }, (_, round) => [round < slow ? 9 : 1, 2]);
    expect(pairOverStarts([two(6), two(6), two(6)], 0, 1)?.centre).toBe(-1);
    expect(pairOverStarts([two(7), two(7), two(7)], 0, 1)?.centre).toBe(7);
  });

  it('is of three starts at least, each with a round for both', () => {
    expect(pairOverStarts([flat([0, 1]), flat([0, 1])], 0, 1)).toBeUndefined();
    expect(pairOverStarts([flat([0, 1]), flat([0, 1]), flat([0, Number.NaN])], 0, 1)).toBeUndefined();
  });

  it('takes a wide spread of the rounds for chance, and only a gap for two levels', () => {
    const question = { error: () => 0.05, equalWithin: 0.05 };
    const because = (own: (round: number) => number): (string | null)[] => {
      const rounds: Rounds = Array.from({ length: 21 }, (_, round) => [own(round), 0]);
      const reversed = rounds.toReversed();
      const [pair] = concludePairs([rounds, reversed, rounds, reversed], question)!;
      return [pair!.holds, pair!.because];
    };
    expect(because((round) => (((round * 8) % 21) - 10) / 5)).toEqual(['open', 'chance']);
    expect(because((round) => ((round * 8) % 21 < 11 ? 2 : -2))).toEqual(['open', 'levels']);
  });

  it('has intervals that reach what other rounds of the same processes might have shown', () => {
    // All starts agree, and each might as well have met the other level.
    const levels = Array.from({ length: 12 }, (_, round) => [round < 5 ? 10 : 1, 0]);
    const { low, high, isByRounds } = reachAt(0.95, pairOverStarts([levels, levels, levels], 0, 1)!);
    expect(low).toBeLessThanOrEqual(1);
    expect(high).toBeGreaterThan(3);
    expect(isByRounds).toBe(true);
  });

  it('takes its noise from itself, not from others beside it', () => {
    const noisy = [-1, 1, 0, 2, -2].map((by) => flat([by, 0, 1]));
    expect(pairOverStarts(noisy, 1, 2)?.variance).toBe(0);
    expect(pairOverStarts(noisy, 0, 1)?.variance).toBeCloseTo(0.5);
    const [one, other] = shrunkPairs([pairOverStarts(noisy, 1, 2)!, pairOverStarts(noisy, 0, 1)!]);
    expect([one?.variance, other?.freedom]).toEqual([0, 4]);
  });

  it('changes within its starts by what the rounds agree on', () => {
    const drifting = Array.from({ length: 11 }, (_, round) => [round / 10, 0]);
    const pair = pairOverStarts([drifting, drifting, drifting], 0, 1)!;
    expect(pair.changes?.map((each) => each.toFixed(6))).toEqual(['1.000000', '1.000000', '1.000000']);
    expect(changeWithin(pair, 0.01, 0.05)).toBeCloseTo(1);
    expect(changeWithin(pair, 0.01, 1.5)).toBe(0);
  });
});

const errorsAt = (starts: number) => (statements: number) =>
  errorAt({ starts, planned: 8, isLast: starts === 8 }, statements);

const afterAll = { error: errorsAt(8), equalWithin: 0.05 };

describe.each<[string, Pick<NoisyMachine, 'stalls' | 'episodesEveryS'>]>([
  ['a shared machine', { stalls: 0.03, episodesEveryS: 20 }],
  ['a machine slow 40 % of the time', { stalls: 0.05, episodesEveryS: 10 }],
])('simulated on %s', (_, noise) => {
  const truth = [0, Math.log(1.1), Math.log(1.4), 0];
  const machines = Array.from({ length: 250 }, (_machine, seed) => ({
    ...noise,
    seed: Math.imul(seed + 1, 2_654_435_761) >>> 3,
    truth,
    starts: 8,
    rounds: 40,
    betweenStarts: 0.04,
  }));
  const found = machines.map((machine) => concludePairs(measuredOn(machine), afterAll)!);

  it('printed intervals cover the truth at least 93 % of the time', () => {
    const held = found.flat().filter(({ a, b, interval }) => {
      const ratio = Math.exp(truth[a]! - truth[b]!);
      return interval![0] <= ratio && ratio <= interval![1];
    });
    expect(held.length / found.flat().length).toBeGreaterThanOrEqual(0.93);
  });

  it('equal servers are told apart in at most one of twenty comparisons, whenever one looks', () => {
    // Fewer rounds cost less, and more machines say more of one in twenty.
    const equal = Array.from({ length: 150 }, (_machine, seed) => ({
      ...machines[0]!,
      seed: Math.imul(seed + 7001, 2_654_435_761) >>> 3,
      truth: [0, 0, 0, 0],
      rounds: 20,
    }));
    const wrong = equal.filter((machine) => {
      const starts = measuredOn(machine);
      return [3, 4, 5, 6, 7, 8].some((looked) =>
        concludePairs(starts.slice(0, looked), { ...afterAll, error: errorsAt(looked) })!.some(
          ({ holds }) => holds === 'yes',
        ),
      );
    });
    expect(wrong.length).toBeLessThanOrEqual(equal.length / 20);
  });

  it('a server 1.1 times as slow is told in three of five comparisons', () => {
    const told = found.filter((pairs) => pairs.some(({ a, b, holds }) => a + b === 1 && holds === 'yes'));
    expect(told.length).toBeGreaterThanOrEqual((found.length * 3) / 5);
  });

  it('a server 1.4 times as slow is told in 98 of 100, and never the other way round', () => {
    const ofTwo = found.map((pairs) => pairs.find(({ a, b }) => a === 0 && b === 2)!);
    for (const { ratio } of ofTwo) expect(ratio).toBeLessThan(1);
    expect(ofTwo.filter(({ holds }) => holds === 'yes').length).toBeGreaterThanOrEqual(0.98 * found.length);
  });
});

const planned = 6;

const manyFreedoms = 1e5;

/** The standard deviations beyond which a look claims something. */
const wallAt = (starts: number, last: number, statements: number): number => {
  const error = errorAt({ starts, planned, isLast: starts === last }, statements);
  return error === 0 ? Number.POSITIVE_INFINITY : studentReach(1 - error, manyFreedoms);
};

describe('the error of a look', () => {
  it.each([3, 4, 5, 6])('leaves one in twenty comparisons wrong over all looks, if number %i is the last', (last) => {
    const draw = drawsOf(7 * last);
    const uniform = (): number => (draw(1_000_003) + 0.5) / 1_000_003;
    const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const walls = Array.from({ length: last }, (_, before) => wallAt(before + 1, last, 1));
    const walks = 40_000;
    let wrong = 0;
    for (let walk = 0; walk < walks; walk++) {
      let sum = 0;
      const isBeyond = walls.map((wall, before) => {
        sum += normal();
        return Math.abs(sum) > wall * Math.sqrt(before + 1);
      });
      if (isBeyond.includes(true)) wrong++;
    }
    // Three standard errors.
    expect(Math.abs(wrong / walks - 0.05)).toBeLessThan(0.0033);
  });

  it('is nothing before the third start, and grows from look to look', () => {
    const errors = [1, 2, 3, 4, 5, 6].map((starts) => errorAt({ starts, planned, isLast: starts === planned }));
    expect(errors.slice(0, 2)).toEqual([0, 0]);
    expect(errors.slice(2)).toEqual(errors.slice(2).toSorted((a, b) => a - b));
  });

  it('is shared by the statements that may be wrong', () => {
    const look = { starts: 6, planned, isLast: true };
    expect(errorAt(look, 6) * 6).toBeLessThan(errorAt(look, 1));
    expect(errorAt(look, 6) * 6).toBeGreaterThan(errorAt(look, 1) * 0.8);
  });
});
