import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scenarioByName } from '../../scenarios/list.js';
import { bounds, nextRate, takesRate } from './find.js';

interface Tried {
  ratePerSecond: number;
  isKept: boolean;
}

/** Searches with a target that keeps the limit as `keeps` says. */
function search(start: number, keeps: (rate: number) => boolean): Tried[] {
  const points: Tried[] = [];
  for (let rate = nextRate(start, points); rate !== undefined; rate = nextRate(start, points)) {
    points.push({ ratePerSecond: rate, isKept: keeps(rate) });
  }
  return points;
}

describe('the search for a rate', () => {
  it('begins where it is told, doubles while the limit is kept, then takes the geometric middle', () => {
    const points = search(101, (rate) => rate <= 503);
    expect(points.slice(0, 4).map(({ ratePerSecond }) => ratePerSecond)).toEqual([101, 202, 404, 808]);
    expect(points[4]?.ratePerSecond).toBeCloseTo(Math.sqrt(404 * 808), 9);
  });

  it('halves while the limit is broken', () => {
    const points = search(808, (rate) => rate <= 150);
    expect(points.slice(0, 4).map(({ ratePerSecond }) => ratePerSecond)).toEqual([808, 404, 202, 101]);
    expect(points[4]?.ratePerSecond).toBeCloseTo(Math.sqrt(101 * 202), 9);
  });

  it('closes in on any threshold within 4,000 times of its start, to 10 %, in at most 16 runs', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 10_007, noNaN: true }),
        fc.double({ min: -11.9, max: 11.9, noNaN: true }),
        (start, doublings) => {
          const threshold = start * 2 ** doublings;
          const points = search(start, (rate) => rate <= threshold);
          const { highestKept, lowestBroken } = bounds(points);
          expect(points.length).toBeLessThanOrEqual(16);
          expect(highestKept).toBeLessThanOrEqual(threshold);
          expect(lowestBroken).toBeGreaterThan(threshold);
          expect((lowestBroken ?? 0) / (highestKept ?? 1)).toBeLessThan(1.1);
        },
      ),
    );
  });

  it('ends after 16 runs, whatever a target does', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.boolean()), (answers) => {
        const points = search(211, () => answers.next().value as boolean);
        expect(points.length).toBeLessThanOrEqual(16);
        for (const { ratePerSecond } of points) expect(ratePerSecond).toBeGreaterThan(0);
      }),
    );
  });

  it('has no lower or no upper bound where all was broken or all was kept', () => {
    expect(bounds(search(101, () => false))).toEqual({ highestKept: null, lowestBroken: 101 / 2 ** 15 });
    expect(bounds(search(101, () => true))).toEqual({ highestKept: 101 * 2 ** 15, lowestBroken: null });
    expect(bounds([])).toEqual({ highestKept: null, lowestBroken: null });
  });

  it('trusts no rate that was kept above one that was broken', () => {
    const points = [
      { ratePerSecond: 808, isKept: true },
      { ratePerSecond: 404, isKept: false },
      { ratePerSecond: 101, isKept: true },
    ];
    expect(bounds(points)).toEqual({ highestKept: 101, lowestBroken: 404 });
    expect(nextRate(808, points)).toBe(202);
  });
});

it('a rate beyond what the scenario takes is none to try', () => {
  const connect = scenarioByName('connect')!;
  expect([499_999, 1e6, 1_000_001, 0].map((rate) => takesRate(connect, rate))).toEqual([true, true, false, false]);
  expect(takesRate(scenarioByName('idle')!, 211)).toBe(false);
});
