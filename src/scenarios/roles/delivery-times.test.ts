import { expect, it } from 'vitest';
import { atLeastUs } from './delivery-times.js';

it('a delivery took at least the time from the end of its send to when its frame can have been readable', () => {
  expect(atLeastUs(1e9 + 13_000, 1e9 + 2_000)).toBe(11);
});

it('a send that ends after the frame can have been readable, or that nobody saw end, bounds nothing', () => {
  expect(atLeastUs(1e9, 1e9 + 1)).toBe(0);
  expect(atLeastUs(1e9, 0)).toBe(0);
});
