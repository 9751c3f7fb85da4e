import { expect, it } from 'vitest';
import { DropQueue } from './drop-queue.js';

it('gives each drop once, when it is due, and knows how many are left', () => {
  const queue = new DropQueue(3);
  queue.set(0, [5, 7, 11]);
  queue.set(2, [13]);
  expect(queue.left).toBe(4);
  expect([queue.take(0, 4), queue.take(0, 5), queue.take(0, 5), queue.take(1, 99)]).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect([queue.take(0, 12), queue.take(0, 12), queue.take(0, 12)]).toEqual([true, true, false]);
  expect(queue.left).toBe(1);
  expect([queue.take(2, 13), queue.left]).toEqual([true, 0]);
});
