import fc from 'fast-check';
import { expect, it } from 'vitest';
import { owedMedian, ratioByRecord, ratioByRuns, usualUs } from './record.js';

const us = fc.double({ min: 1, max: 1e7, noNaN: true });

it('ranks what never came behind all that did', () => {
  expect(owedMedian([30, 10, 20], 3)).toBe(20);
  expect(owedMedian([30, 10, 20], 5)).toBe(30);
  expect(owedMedian([30, 10, 20], 6)).toBe(30);
  expect(owedMedian([30, 10, 20], 7)).toBe(Number.POSITIVE_INFINITY);
});

it('takes the median of the rounds of all starts', () => {
  expect(
    usualUs([
      [10, 10, 9000],
      [40, 50],
    ]),
  ).toBe(40);
  expect(usualUs([[10], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]])).toBe(Number.POSITIVE_INFINITY);
  expect(usualUs([])).toBeNaN();
});

it('draws a ratio towards 1 by the way, and never beyond', () => {
  fc.assert(
    fc.property(us, us, us, (a, b, way) => {
      const { low, high } = ratioByRecord(a, b, way);
      expect(low).toBeLessThanOrEqual(a / b);
      expect(high).toBeGreaterThanOrEqual(a / b);
      if (a > b) expect(low).toBeGreaterThanOrEqual(1);
      if (a < b) expect(high).toBeLessThanOrEqual(1);
    }),
  );
  expect(ratioByRecord(Number.POSITIVE_INFINITY, 7, 3)).toEqual({
    low: Number.POSITIVE_INFINITY,
    high: Number.POSITIVE_INFINITY,
  });
  expect(ratioByRecord(7, Number.POSITIVE_INFINITY, 3)).toEqual({ low: 0, high: 0 });
});

it('contains the ratio of any two runs', () => {
  const runs = fc.array(us, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(runs, runs, (a, b) => {
      const { low, high } = ratioByRuns(a, b, 1.25);
      for (const one of a)
        for (const other of b) {
          expect(low).toBeLessThan(one / other);
          expect(high).toBeGreaterThan(one / other);
        }
    }),
  );
});
