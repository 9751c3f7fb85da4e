import { expect, it } from 'vitest';
import { evenness } from './evenness.js';

it('is large for even counts and small for uneven ones', () => {
  expect(evenness([7, 7, 7], 101)).toBeGreaterThan(0.95);
  expect(evenness([5, 7, 11, 6], 240)).toBeGreaterThan(0.05);
  expect(evenness([2, 3, 41, 2], 240)).toBeLessThan(0.01);
});

it('has the probability of the tables', () => {
  // 2 × 2: 20 and 36 of 101 give χ² = 6.33 with one degree of freedom, P = 0.0119.
  expect(evenness([20, 36], 101)).toBeCloseTo(0.012, 2);
});

it.each([[[0, 0, 0]], [[101, 101]], [[7]], [[]]])('is undefined for %j', (counts) => {
  expect(evenness(counts, 101)).toBeUndefined();
});
