import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Holds } from '../../measure/statement.js';
import { edgesOf, isCapped, isSettled, majority, nextRate, type SearchShape, type Tried } from './rates.js';

/** Runs a search to its end against a target that answers each run by its rate and the number of the run. */
function search(shape: SearchShape, answer: (ratePerSecond: number, run: number) => Holds) {
  const tried: { ratePerSecond: number; votes: Holds[] }[] = [];
  let runs = 0;
  for (let rate = nextRate(tried, shape); rate !== undefined; rate = nextRate(tried, shape)) {
    const point = tried.find(({ ratePerSecond }) => ratePerSecond === rate);
    const holds = answer(rate, runs++);
    if (point) point.votes.push(holds);
    else tried.push({ ratePerSecond: rate, votes: [holds] });
  }
  return { tried, runs, ...edgesOf(tried) };
}

const shape: SearchShape = { minRate: 1, maxRate: 100_000, precision: 0.05, repeat: 2 };
const limits = fc.double({ min: 2, max: 49_999, noNaN: true });

describe('a search', () => {
  it('ends with both edges within the precision, the limit between them, and each proven by its repeats', () => {
    fc.assert(
      fc.property(
        limits,
        fc.integer({ min: 1, max: 3 }),
        fc.double({ min: 0.01, max: 0.3, noNaN: true }),
        (limit, repeat, precision) => {
          const found = search({ ...shape, repeat, precision }, (rate) => (rate <= limit ? 'yes' : 'no'));
          const { keptUpTo, failedFrom, interval, tried } = found;
          expect(keptUpTo).toBeLessThanOrEqual(limit);
          expect(failedFrom).toBeGreaterThan(limit);
          expect(failedFrom! / keptUpTo!).toBeLessThanOrEqual(1 + precision + 1e-9);
          expect(interval).toEqual([keptUpTo, failedFrom]);
          for (const edge of [keptUpTo, failedFrom]) {
            expect(tried.find(({ ratePerSecond }) => ratePerSecond === edge)?.votes).toHaveLength(repeat);
          }
        },
      ),
    );
  });

  it('nearly always finds the limit within 5 % if one run in twenty is wrong, and so does its interval', () => {
    let off = 0;
    let outside = 0;
    const runs = 400;
    fc.assert(
      fc.property(limits, fc.infiniteStream(fc.integer({ min: 0, max: 19 })), (limit, luck) => {
        const found = search(shape, (rate) => {
          const isGood = rate <= limit;
          return isGood === (luck.next().value as number) > 0 ? 'yes' : 'no';
        });
        const knee = Math.sqrt((found.keptUpTo ?? 0) * (found.failedFrom ?? 0));
        if (Math.abs(knee / limit - 1) > 0.05) off++;
        const [low, high] = found.interval;
        if ((low ?? 0) > limit || (high ?? Number.POSITIVE_INFINITY) < limit) outside++;
        expect(found.runs).toBeLessThanOrEqual(80);
      }),
      { numRuns: runs, seed: 7 },
    );
    // Two wrong runs at one rate are one in four hundred, and a search passes a dozen rates.
    expect(off / runs).toBeLessThan(0.08);
    expect(outside / runs).toBeLessThan(0.08);
  });

  it('finds a limit that is soft, inside the region where its runs disagree', () => {
    fc.assert(
      fc.property(limits, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (limit, luck) => {
        // From 4 % below the limit to 4 % above, ever more of the runs jam.
        const found = search(shape, (rate) =>
          (rate / limit - 0.96) / 0.08 > (luck.next().value as number) ? 'no' : 'yes',
        );
        const [low, high] = found.interval;
        expect(low).toBeLessThan(limit * 1.04);
        expect(high).toBeGreaterThan(limit * 0.96);
        expect(Math.abs(Math.sqrt(found.keptUpTo! * found.failedFrom!) / limit - 1)).toBeLessThan(0.08);
      }),
    );
  });

  it('runs a rate again at once where its runs disagree, until a majority of the most runs stands', () => {
    const answers: Record<number, Holds[]> = { 1: ['yes', 'no', 'yes', 'no', 'yes'] };
    const rates: number[] = [];
    search({ ...shape, maxRate: 2 }, (rate) => {
      rates.push(rate);
      return answers[rate]?.shift() ?? 'yes';
    });
    expect(rates).toEqual([1, 1, 1, 1, 1, 2, 2]);
  });

  it('has one edge if the target jams at the lowest rate or at no rate', () => {
    expect(search(shape, () => 'no')).toMatchObject({ runs: 2, keptUpTo: null, failedFrom: 1 });
    const unbroken = search({ ...shape, maxRate: 100 }, () => 'yes');
    expect(unbroken).toMatchObject({ keptUpTo: 100, failedFrom: null, interval: [100, null] });
    expect(unbroken.tried.map(({ ratePerSecond }) => ratePerSecond)).toEqual([1, 2, 4, 8, 16, 32, 64, 100]);
  });

  it('stops at what the rig cannot carry, and says so', () => {
    const { tried, failedFrom, keptUpTo } = search(shape, (rate) => (rate < 300 ? 'yes' : 'open'));
    expect(majority(tried.find(({ ratePerSecond }) => ratePerSecond === failedFrom)!.votes)).toBe('open');
    expect(failedFrom! / keptUpTo!).toBeLessThanOrEqual(1.05);
  });

  it('ends, whatever the runs say', () => {
    const any = fc.infiniteStream(fc.constantFrom<Holds>('yes', 'no', 'open'));
    fc.assert(
      fc.property(any, (votes) => {
        expect(search(shape, () => votes.next().value as Holds).runs).toBeLessThanOrEqual(80);
      }),
    );
  });

  it('that made the most runs before its edges were proven says so, and has more of them where more must agree', () => {
    const many: Tried[] = Array.from({ length: 40 }, (_, n) => ({ ratePerSecond: 1 + n, votes: ['yes', 'yes'] }));
    expect(nextRate(many, shape)).toBeUndefined();
    expect(isCapped(many, shape)).toBe(true);
    expect(isCapped(many, { ...shape, maxRate: 40 })).toBe(false);
    expect(isCapped(many, { ...shape, repeat: 3 })).toBe(false);
    expect(nextRate(many, { ...shape, repeat: 1 })).toBeUndefined();
    expect(nextRate(many, { ...shape, repeat: 3 })).toBeDefined();
  });
});

describe('the runs at one rate', () => {
  it('decide it when enough agree, or when no more could turn them', () => {
    expect(isSettled(['yes'], 2)).toBe(false);
    expect(isSettled(['yes', 'yes'], 2)).toBe(true);
    expect(isSettled(['yes', 'no', 'yes'], 2)).toBe(false);
    expect(isSettled(['yes', 'no', 'yes', 'yes'], 2)).toBe(true);
    expect(isSettled(['yes', 'no', 'open', 'yes', 'no'], 2)).toBe(true);
    expect(isSettled(['open', 'open'], 2)).toBe(false);
    expect(isSettled(['open', 'yes', 'yes'], 2)).toBe(true);
    expect(isSettled(['open', 'open', 'open'], 2)).toBe(true);
  });

  it('say what most of those say that take a side, of equals what speaks against the target', () => {
    expect(majority(['yes', 'no', 'yes'])).toBe('yes');
    expect(majority(['yes', 'no'])).toBe('no');
    expect(majority(['no', 'yes', 'yes', 'open', 'open'])).toBe('yes');
    expect(majority(['open', 'no', 'open'])).toBe('open');
  });
});

it('takes a rate that kept up above one that did not for no edge, and widens the interval by what disagrees', () => {
  const tried: Tried[] = [
    { ratePerSecond: 10, votes: ['yes', 'yes'] },
    { ratePerSecond: 20, votes: ['yes', 'no', 'yes', 'yes'] },
    { ratePerSecond: 21, votes: ['no', 'yes', 'no', 'no'] },
    { ratePerSecond: 40, votes: ['no'] },
    { ratePerSecond: 30, votes: ['yes'] },
  ];
  expect(edgesOf(tried)).toEqual({ keptUpTo: 20, failedFrom: 21, interval: [10, 40] });
});

it('asks again where a run said nothing, and goes by what the others say', () => {
  const answers: Record<number, Holds[]> = { 4: ['open', 'open', 'yes', 'yes', 'yes'], 8: ['no'] };
  const rates: number[] = [];
  const found = search({ ...shape, precision: 0.99 }, (rate) => {
    rates.push(rate);
    return answers[rate]?.shift() ?? (rate < 7 ? 'yes' : 'no');
  });
  expect(rates).toEqual([1, 1, 2, 4, 4, 4, 4, 8, 5.657, 5.657, 8]);
  expect(found).toMatchObject({ keptUpTo: 5.657, failedFrom: 8 });
});
