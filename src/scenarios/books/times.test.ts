import { expect, it } from 'vitest';
import { atLeastUs, Timeline } from './times.js';

it('a delivery took at least the time from the end of its send to when its frame can have been readable', () => {
  expect(atLeastUs(1e9 + 13_000, 1e9 + 2_000)).toBe(11);
});

it('a send that ends after the frame can have been readable, or that nobody saw end, bounds nothing', () => {
  expect(atLeastUs(1e9, 1e9 + 1)).toBe(0);
  expect(atLeastUs(1e9, 0)).toBe(0);
});

it('a timeline counts events by name and by second since its start', () => {
  const timeline = new Timeline(7e9);
  for (const atNs of [7e9, 7.997e9, 8e9, 11.003e9]) timeline.count('opened', atNs);
  timeline.count('closed reset', 9.5e9);
  expect(timeline.report()).toEqual({ opened: [2, 1, 0, 0, 1], 'closed reset': [0, 0, 1] });
});

it('a timeline counts what comes before its start in its first second', () => {
  const timeline = new Timeline(7e9);
  timeline.count('opened', 6.9e9);
  expect(timeline.report()).toEqual({ opened: [1] });
});
