import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DueQueue } from './due-queue.js';

it('gives what is due, soonest first, and of equals the first queued first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(31), { maxLength: 101 }), fc.nat(37), (times, nowNs) => {
      const queue = new DueQueue<{ dueNs: number; rank: number }>();
      const items = times.map((dueNs, rank) => ({ dueNs, rank }));
      for (const item of items) queue.push(item);
      const taken = [];
      for (let item = queue.takeDue(nowNs); item !== undefined; item = queue.takeDue(nowNs)) taken.push(item);
      const sorted = items.toSorted((a, b) => a.dueNs - b.dueNs || a.rank - b.rank);
      expect(taken).toEqual(sorted.filter(({ dueNs }) => dueNs <= nowNs));
      expect(queue.nextDueNs).toBe(sorted[taken.length]?.dueNs ?? Number.POSITIVE_INFINITY);
    }),
  );
});

it('keeps its order while it is filled and emptied in turns', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(13), fc.boolean()), { maxLength: 101 }), (steps) => {
      const queue = new DueQueue<{ dueNs: number; rank: number }>();
      let model: { dueNs: number; rank: number }[] = [];
      for (const [rank, [dueNs, isTake]] of steps.entries()) {
        if (isTake) {
          const first = model.toSorted((a, b) => a.dueNs - b.dueNs || a.rank - b.rank)[0];
          expect(queue.takeDue(Number.POSITIVE_INFINITY)).toBe(first);
          model = model.filter((each) => each !== first);
        } else {
          const item = { dueNs, rank };
          queue.push(item);
          model.push(item);
        }
      }
    }),
  );
});
