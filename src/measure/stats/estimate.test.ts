import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { binShare } from '../samples/blocks.js';
import { drawsOf } from './bootstrap.js';
import { type Estimate, estimate, interval95, isOfRuns, lowerMedian, ratioOf } from './estimate.js';

/** Draws of a normal distribution (Box and Muller 1958). */
function normals(seed: number): () => number {
  const draw = drawsOf(seed);
  const uniform = (): number => (draw(1_000_003) + 0.5) / 1_000_003;
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** How many of 400 intervals hold the true 1000, of runs that spread by `between`, each measured to `own`. */
function covered(runs: number, between: number, own: number): number {
  const normal = normals(7);
  return Array.from({ length: 400 }, () => {
    const values = Array.from({ length: runs }, () => 1000 * Math.exp(between * normal() + own * normal()));
    const within = values.map((value): [number, number] => [
      value * Math.exp(-1.96 * own),
      value * Math.exp(1.96 * own),
    ]);
    const [low, high] = interval95(estimate(values, within) as Estimate);
    return low <= 1000 && 1000 <= high;
  }).filter(Boolean).length;
}

describe('the interval of a figure over runs', () => {
  it.each([
    [1, 0, 0.1],
    [3, 0.1, 0.01],
    [3, 0.05, 0.05],
    [3, 0.001, 0.1],
    [4, 0.1, 0.01],
    [5, 0.2, 0.05],
    [7, 0.1, 0],
  ])('of %i runs that spread by %d, each known to %d, holds the truth 95 times in 100', (runs, between, own) =>
    expect(covered(runs, between, own) / 400).toBeGreaterThan(0.91),
  );

  it('knows no spread of a single run without broadcasts, of two, of none, and of what has no logarithm', () => {
    expect(estimate([743], [undefined])).toBeUndefined();
    expect(
      estimate(
        [743, 751],
        [
          [701, 797],
          [703, 809],
        ],
      ),
    ).toBeUndefined();
    expect(estimate([], [])).toBeUndefined();
    expect(estimate([743, 0, 751], [undefined, undefined, undefined])).toBeUndefined();
  });

  it('is unknown where all runs agree to the last, and none knows its own noise', () => {
    expect(estimate([10_007, 10_007, 10_007], [])).toBeUndefined();
    const [low, high] = interval95(estimate([1, 1, 1], new Array(3).fill([0.14, 7.1])) as Estimate);
    expect([low < 0.5, high > 2]).toEqual([true, true]);
  });

  it('takes no run for known better than the bins that its interval came out of', () => {
    const point = estimate([4979], [[4979, 4979]]) as Estimate;
    const [low, high] = interval95(point);
    expect(high / low).toBeGreaterThan(1 + binShare);
    expect(point.variance).toBeCloseTo(Math.log1p(binShare) ** 2 / 12, 12);
  });

  it('is of runs from three on', () => {
    const of = (...values: number[]): boolean =>
      isOfRuns(
        estimate(
          values,
          values.map((us): [number, number] => [us * 0.96, us * 1.04]),
        ) as Estimate,
      );
    expect([of(743), of(743, 751, 739)]).toEqual([false, true]);
    const [one, three] = [[743], [743, 751, 739]].map((values) =>
      estimate(
        values,
        values.map((us): [number, number] => [us * 0.96, us * 1.04]),
      ),
    ) as [Estimate, Estimate];
    expect(isOfRuns(ratioOf(one, three))).toBe(false);
  });

  it('holds the median, whatever was measured', () =>
    law(fc.array(fc.double({ min: 1, max: 1e6, noNaN: true }), { minLength: 3, maxLength: 7 }), (values) => {
      fc.pre(new Set(values.map(Math.log)).size > 1);
      const [low, high] = interval95(estimate(values, []) as Estimate);
      expect(low).toBeLessThanOrEqual(lowerMedian(values) * 1.000001);
      expect(high).toBeGreaterThanOrEqual(lowerMedian(values) * 0.999999);
    }));
});

describe('the ratio of two figures', () => {
  const runs = (around: number): Estimate =>
    estimate([around * 0.98, around, around * 1.03, around * 1.01, around * 0.97], []) as Estimate;

  it('leaves out 1 where they are far apart, and holds it where they are not', () => {
    const far = interval95(ratioOf(runs(1000), runs(2000)));
    expect(far[1]).toBeLessThan(0.6);
    expect(far[0]).toBeGreaterThan(0.4);
    const near = interval95(ratioOf(runs(1000), runs(1010)));
    expect(near[0]).toBeLessThan(1);
    expect(near[1]).toBeGreaterThan(1);
  });

  it('finds a difference where there is none in about one pair of 20', () => {
    const normal = normals(11);
    const three = (): Estimate =>
      estimate(
        [0, 1, 2].map(() => 1000 * Math.exp(0.1 * normal())),
        [],
      ) as Estimate;
    const found = Array.from({ length: 400 }, () => interval95(ratioOf(three(), three()))).filter(
      ([low, high]) => low > 1 || high < 1,
    );
    expect(found.length / 400).toBeLessThan(0.08);
  });
});

it('a median is a figure that was measured', () => {
  expect(lowerMedian([3, 1, 2])).toBe(2);
  expect(lowerMedian([4, 1, 3, 2])).toBe(2);
  expect(() => lowerMedian([])).toThrow(RangeError);
});
