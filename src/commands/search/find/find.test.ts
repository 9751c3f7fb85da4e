import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scenarioByName } from '../../../scenarios/list.js';
import { edgesOf, nextRate, type Tried } from '../rates.js';
import { searchShape, takesRate } from './find.js';

/** Searches with a target that keeps the threshold as `keeps` says. */
function search(startRate: number, keeps: (rate: number) => boolean): Tried[] {
  const tried: Tried[] = [];
  const next = () => nextRate(tried, { ...searchShape, startRate });
  for (let rate = next(); rate !== undefined; rate = next()) {
    tried.push({ ratePerSecond: rate, votes: [keeps(rate) ? 'good' : 'jammed'] });
  }
  return tried;
}

const ratesOf = (tried: readonly Tried[]): number[] => tried.map(({ ratePerSecond }) => ratePerSecond);

describe('the search for a rate', () => {
  it('doubles from the start while the threshold is kept, then takes the geometric middle', () => {
    expect(ratesOf(search(101, (rate) => rate <= 503)).slice(0, 5)).toEqual([101, 202, 404, 808, 571.3]);
  });

  it('halves while the threshold is broken', () => {
    expect(ratesOf(search(808, (rate) => rate <= 150)).slice(0, 5)).toEqual([808, 404, 202, 101, 142.8]);
  });

  it('closes in on any threshold within 4,000 times of its start, to 10 %, in at most 16 runs', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 10_007, noNaN: true }),
        fc.double({ min: -11.9, max: 11.9, noNaN: true }),
        (start, doublings) => {
          const threshold = start * 2 ** doublings;
          const tried = search(start, (rate) => rate <= threshold);
          const { keptUpTo, failedFrom } = edgesOf(tried);
          expect(tried.length).toBeLessThanOrEqual(16);
          expect(keptUpTo).toBeLessThanOrEqual(threshold);
          expect(failedFrom).toBeGreaterThan(threshold);
          expect(failedFrom).toBeLessThanOrEqual((keptUpTo ?? 0) * 1.1);
        },
      ),
    );
  });

  it('ends after 16 runs, whatever a target does', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.boolean()), (answers) => {
        const tried = search(211, () => answers.next().value as boolean);
        expect(tried.length).toBeLessThanOrEqual(16);
        for (const rate of ratesOf(tried)) expect(rate).toBeGreaterThan(0);
      }),
    );
  });

  it('has one edge where all was broken or all was kept', () => {
    expect(edgesOf(search(101, () => false))).toMatchObject({ keptUpTo: null, failedFrom: 101 / 2 ** 15 });
    expect(edgesOf(search(101, () => true))).toMatchObject({ keptUpTo: 101 * 2 ** 15, failedFrom: null });
    expect(edgesOf([])).toMatchObject({ keptUpTo: null, failedFrom: null });
  });

  it('trusts no rate that was kept above one that was broken', () => {
    const tried: Tried[] = [
      { ratePerSecond: 808, votes: ['good'] },
      { ratePerSecond: 404, votes: ['jammed'] },
      { ratePerSecond: 101, votes: ['good'] },
    ];
    expect(edgesOf(tried)).toMatchObject({ keptUpTo: 101, failedFrom: 404 });
    expect(nextRate(tried, { ...searchShape, startRate: 808 })).toBe(202);
  });
});

it('does not try a rate that the scenario does not take', () => {
  const connect = scenarioByName('connect')!;
  expect([499_999, 1e6, 1_000_001, 0].map((rate) => takesRate(connect, rate))).toEqual([true, true, false, false]);
  expect(takesRate(scenarioByName('idle')!, 211)).toBe(false);
});
