import { expect, it } from 'vitest';
import { Timeline } from './timeline.js';

it('counts events by name and by second since its start', () => {
  const timeline = new Timeline(7e9);
  for (const atNs of [7e9, 7.997e9, 8e9, 11.003e9]) timeline.count('opened', atNs);
  timeline.count('closed reset', 9.5e9);
  expect(timeline.report()).toEqual({ opened: [2, 1, 0, 0, 1], 'closed reset': [0, 0, 1] });
});

it('counts what comes before its start in its first second', () => {
  const timeline = new Timeline(7e9);
  timeline.count('opened', 6.9e9);
  expect(timeline.report()).toEqual({ opened: [1] });
});
