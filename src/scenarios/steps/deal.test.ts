import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shareOf, shareStart } from '../../measure/share.js';
import { clientsUpTo, workerSlots } from './deal.js';

const partsOf = (total: number, of: number) =>
  Array.from({ length: of }, (_, index) => ({
    firstClient: shareStart(total, index, of),
    clientCount: shareOf(total, index, of),
  }));

const sizes = fc.record({
  step: fc.integer({ min: 1, max: 53 }),
  steps: fc.integer({ min: 1, max: 13 }),
  concurrent: fc.integer({ min: 1, max: 17 }),
  of: fc.constantFrom(1, 2, 7, 13),
});

it('gives every step its clients, however they are split, and every part its share of each', () => {
  fc.assert(
    fc.property(sizes, ({ step, steps, of }) => {
      const parts = partsOf(step * steps, of);
      for (let upTo = 0; upTo <= steps; upTo++) {
        const counts = parts.map((part) => clientsUpTo(part, upTo, steps));
        expect(counts.reduce((sum, each) => sum + each, 0)).toBe(step * upTo);
        const newest = parts.map((part, n) => (counts[n] as number) - clientsUpTo(part, Math.max(0, upTo - 1), steps));
        const least = Math.floor((step * steps) / of / steps);
        for (const each of newest) expect(each === 0 || each >= least - 1).toBe(true);
      }
    }),
  );
});

it('gives every operation in flight to one worker, which has a client of the first step', () => {
  fc.assert(
    fc.property(sizes, ({ of, ...plan }) => {
      const parts = partsOf(plan.step * plan.steps, of);
      const slots = parts.map((part) => workerSlots(part, plan));
      expect(slots.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: plan.concurrent }, (_, n) => n));
      slots.forEach((own, n) => {
        if (own.length > 0) expect(clientsUpTo(parts[n]!, 1, plan.steps)).toBeGreaterThan(0);
      });
    }),
  );
});

it('spreads operations evenly over workers that are as many, or fewer', () => {
  const plan = { step: 1000, steps: 10, concurrent: 4 };
  expect(partsOf(10_000, 4).map((part) => workerSlots(part, plan))).toEqual([[0], [1], [2], [3]]);
  expect(partsOf(10_000, 2).map((part) => workerSlots(part, plan))).toEqual([
    [0, 1],
    [2, 3],
  ]);
});
