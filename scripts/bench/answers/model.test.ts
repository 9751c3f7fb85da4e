import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawRounds, type Model, medianUs, randomOf } from './model.js';

const plain: Model = { us: 10_000, startSd: 0, roundSd: 0.05 };

/** What a simulated target may be. */
const model: fc.Arbitrary<Model> = fc.record(
  {
    us: fc.double({ min: 10, max: 1e7, noNaN: true }),
    startSd: fc.double({ min: 0, max: 0.3, noNaN: true }),
    roundSd: fc.double({ min: 0.001, max: 0.5, noNaN: true }),
    levels: fc.record({
      share: fc.double({ min: 0, max: 0.9, noNaN: true }),
      factor: fc.double({ min: 1, max: 50, noNaN: true }),
    }),
    cold: fc.record({ rounds: fc.nat(5), moreUs: fc.double({ min: 0, max: 1e6, noNaN: true }) }),
    drift: fc.double({ min: 0.5, max: 4, noNaN: true }),
    loss: fc.record({
      share: fc.double({ min: 0, max: 0.9, noNaN: true }),
      subscribers: fc.integer({ min: 1, max: 31 }),
    }),
  },
  { requiredKeys: ['us', 'startSd', 'roundSd'] },
);

describe('the median of all rounds', () => {
  it('is that of a plain target, whatever its starts do', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (rounds, startSd) => {
        expect(medianUs({ ...plain, startSd }, rounds)).toBeCloseTo(10_000, 2);
      }),
    );
  });

  it('grows as the target does', () => {
    fc.assert(
      fc.property(model, fc.double({ min: 1.5, max: 20, noNaN: true }), ({ cold, ...each }, times) => {
        const grown = cold && { cold: { ...cold, moreUs: cold.moreUs * times } };
        const ratio =
          medianUs({ ...each, ...grown, us: each.us * times }, 12) / medianUs({ ...each, ...(cold && { cold }) }, 12);
        if (!Number.isNaN(ratio)) expect(ratio).toBeCloseTo(times, 5);
      }),
    );
  });

  it('has half of the rounds on either side', () => {
    fc.assert(
      fc.property(model, (each) => {
        const truth = medianUs(each, 12);
        const random = randomOf(7);
        const starts = Array.from({ length: 2400 }, () => drawRounds(each, 12, random).p50Us);
        const us = starts.flat().map((one) => one ?? Number.POSITIVE_INFINITY);
        const share = (of: (one: number) => boolean): number => us.filter(of).length / us.length;
        // Seven standard deviations of a share of 2,400 starts: rounds of one start share its deviation.
        expect(share((one) => one < truth)).toBeLessThan(0.5 + 7 * 0.0102);
        expect(share((one) => one <= truth)).toBeGreaterThan(0.5 - 7 * 0.0102);
      }),
      { numRuns: 31 },
    );
  });

  it('never arrives where most rounds have none', () => {
    const losing = (share: number) => medianUs({ ...plain, loss: { share, subscribers: 20 } }, 12);
    expect(losing(0.01)).toBeCloseTo(10_000, 2);
    expect(losing(0.45)).toBeGreaterThan(10_000);
    expect(losing(0.6)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('rounds', () => {
  it('are the same from the same seed', () => {
    fc.assert(
      fc.property(model, fc.nat(), (each, seed) => {
        expect(drawRounds(each, 12, randomOf(seed))).toEqual(drawRounds(each, 12, randomOf(seed)));
      }),
    );
  });

  it('lose their median with half of their deliveries, and the last one with any', () => {
    const all = drawRounds({ ...plain, loss: { share: 1, subscribers: 7 } }, 12, randomOf(1));
    expect([all.p50Us, all.p50AtLeastUs, all.lastUs]).toEqual(Array(3).fill(Array(12).fill(null)));
    const few = drawRounds({ ...plain, loss: { share: 0.2, subscribers: 101 } }, 12, randomOf(1));
    expect(few.p50Us).not.toContain(null);
    expect(few.lastUs).toEqual(Array(12).fill(null));
  });

  it('are cold first', () => {
    const { p50Us } = drawRounds({ ...plain, cold: { rounds: 3, moreUs: 1e6 } }, 12, randomOf(1));
    expect(p50Us.map((us) => us! > 500_000)).toEqual([...Array(3).fill(true), ...Array(9).fill(false)]);
  });
});
