import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { Blocks } from '../samples/blocks.js';
import { blockMedians, robustSlope } from './trend.js';

it('finds the median of every block, to the width of a bin, and passes over those without a sample', () => {
  const blocks = new Blocks(4);
  for (const us of [997, 1009, 50_021]) blocks.record(0, us);
  for (const us of [7]) blocks.record(2, us);
  for (const us of [20_011, 20_011, 3, 3]) blocks.record(3, us);
  const medians = blockMedians(blocks.finish());
  expect(medians.map(([place]) => place)).toEqual([0.125, 0.625, 0.875]);
  for (const [index, us] of [1009, 7, 3].entries()) {
    expect(Math.abs((medians[index] as [number, number])[1] - us)).toBeLessThanOrEqual(us * 0.017);
  }
});

it('gives the slope of a line, whatever a fifth of its points say', () => {
  const line = fc.tuple(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.double({ min: 0, max: 1e6, noNaN: true }));
  const wild = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(line, wild, fc.integer({ min: 0, max: 25 }), ([slope, start], stall, from) => {
      const points = Array.from({ length: 31 }, (_, n) => [n / 31, start + (slope * n) / 31] as [number, number]);
      expect(robustSlope(points)).toBeCloseTo(slope, 2);
      const spoiled = points.map(([x, y], n): [number, number] => [x, stall[n - from] ?? y]);
      expect(robustSlope(spoiled)).toBeCloseTo(slope, 2);
    }),
  );
});

test('few points have no slope', () => {
  expect(robustSlope([])).toBeUndefined();
  expect(robustSlope(Array.from({ length: 7 }, (_, n) => [n, n] as const))).toBeUndefined();
  expect(robustSlope(Array.from({ length: 9 }, () => [1, 7] as const))).toBeUndefined();
});
