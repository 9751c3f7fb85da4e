import fc from 'fast-check';
import { expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { percentile } from '../../measure/samples/distribution.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { clientsUpTo, keepsLimit, parseLimit, workerSlots } from './loop.js';

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

it('gives every step its clients, however they are split, and every part its share of each', () =>
  law(sizes, ({ step, steps, of }) => {
    const parts = partsOf(step * steps, of);
    for (let upTo = 0; upTo <= steps; upTo++) {
      const counts = parts.map((part) => clientsUpTo(part, upTo, steps));
      expect(counts.reduce((sum, each) => sum + each, 0)).toBe(step * upTo);
      const newest = parts.map((part, n) => (counts[n] as number) - clientsUpTo(part, Math.max(0, upTo - 1), steps));
      const least = Math.floor((step * steps) / of / steps);
      for (const each of newest) expect(each === 0 || each >= least - 1).toBe(true);
    }
  }));

it('gives every operation in flight to one worker, which has a client of the first step', () =>
  law(sizes, ({ of, ...plan }) => {
    const parts = partsOf(plan.step * plan.steps, of);
    const slots = parts.map((part) => workerSlots(part, plan));
    expect(slots.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: plan.concurrent }, (_, n) => n));
    slots.forEach((own, n) => {
      if (own.length > 0) expect(clientsUpTo(parts[n]!, 1, plan.steps)).toBeGreaterThan(0);
    });
  }));

it('spreads operations evenly over workers that are as many, or fewer', () => {
  const plan = { step: 1000, steps: 10, concurrent: 4 };
  expect(partsOf(10_000, 4).map((part) => workerSlots(part, plan))).toEqual([[0], [1], [2], [3]]);
  expect(partsOf(10_000, 2).map((part) => workerSlots(part, plan))).toEqual([
    [0, 1],
    [2, 3],
  ]);
});

it('reads a percentile that is to stay below a time', () => {
  expect(parseLimit('p95<500ms')).toEqual({ millionths: 950_000, us: 500_000 });
  expect(parseLimit(' p99.9<1.5s ')).toEqual({ millionths: 999_000, us: 1_500_000 });
});

it.each(['', 'p95', 'p95<', 'p95<500', 'p95<=500ms', 'p100<1s', 'p0<1s', 'q95<1s', 'p-5<1s', 'p95<-1s'])(
  'knows no limit in %j',
  (text) => {
    expect(parseLimit(text)).toBeUndefined();
  },
);

it('is kept exactly where the percentile of all samples, by nearest rank, lies below', () => {
  const times = fc.uint8Array({ minLength: 1, maxLength: 211 });
  law(times, fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 256 }), (values, share, us) => {
    const samples = { kind: 'raw' as const, values: Uint32Array.from(values).sort() };
    const slow = values.filter((each) => each >= us).length;
    const limit = { millionths: share * 100, us };
    expect(keepsLimit(limit, values.length, slow)).toBe((percentile(samples, share / 10_000) as number) < us);
  });
});
