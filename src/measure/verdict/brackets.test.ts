import { expect, it } from 'vitest';
import { metric, run } from '../../../test/doubles/golden-facts.js';
import { leastUs } from './brackets.js';

const metrics = {
  delivery: metric(3001, 17_011, 97_003),
  deliveryAtLeast: metric(2803, 16_007, 96_001),
  deliveryFromIntended: metric(3011, 17_021, 97_013),
  publishAck: metric(503, 9001),
};
const facts = { metrics, declared: run().declared };

it('a figure is at least what its bracket says, also from the scheduled instant, and else itself', () => {
  expect(leastUs(facts, [], 'delivery', 'p99')).toBe(16_007);
  expect(leastUs(facts, [], 'deliveryFromIntended', 'p50')).toBe(2803);
  expect(leastUs(facts, [], 'publishAck', 'p50')).toBe(503);
  expect(leastUs(facts, [], 'delivery', 'mean')).toBeNull();
});

it('the lowest mark at it counts, of this figure or of all', () => {
  const marks = [
    { metric: 'delivery', figure: 'p99' as const, leastUs: 15_013 },
    { metric: 'publishAck', figure: null, leastUs: 0 },
  ];
  expect(leastUs(facts, marks, 'delivery', 'p99')).toBe(15_013);
  expect(leastUs(facts, marks, 'delivery', 'p50')).toBe(2803);
  expect(leastUs(facts, marks, 'publishAck', 'p99')).toBe(0);
});
