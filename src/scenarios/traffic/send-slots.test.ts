import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SendSlots } from './send-slots.js';

class Due {
  behind: Due | undefined;

  constructor(public dueNs: number) {}
}

describe('slots of sends', () => {
  it('give all that is due in order of its slots, and the rest when it is', () => {
    const slots = new SendSlots<Due>();
    for (const ms of [30, 10, 5000, 10]) slots.add(new Due(ms * 1e6));
    const walk = (ms: number): [number[], number] => {
      const seen: number[] = [];
      const nextNs = slots.walk(ms * 1e6, 100e6, (each) => {
        if (each.dueNs <= ms * 1e6) seen.push(each.dueNs / 1e6);
        else slots.add(each);
      });
      return [seen, nextNs / 1e6];
    };
    expect(walk(1)).toEqual([[], 10]);
    expect(walk(20)).toEqual([[10, 10], 30]);
    expect(walk(31)[0]).toEqual([30]);
    expect(walk(5000)).toEqual([[5000], Number.POSITIVE_INFINITY]);
  });

  it('lose nothing, and give nothing before a walk that reaches it', () => {
    const times = fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 50 });
    fc.assert(
      fc.property(times, times, fc.integer({ min: 1, max: 3000 }), (first, later, stepMs) => {
        const slots = new SendSlots<Due>();
        const seen: number[] = [];
        for (const ms of first) slots.add(new Due(ms * 1e6));
        let nowMs = 0;
        const walk = (): void => {
          slots.walk(nowMs * 1e6, 100e6, (each) => {
            if (each.dueNs <= (nowMs + 100) * 1e6) seen.push(each.dueNs / 1e6);
            else slots.add(each);
          });
          expect(seen.every((ms) => ms <= nowMs + 100)).toBe(true);
        };
        for (const ms of later) {
          walk();
          slots.add(new Due((nowMs + ms) * 1e6));
          first.push(nowMs + ms);
          nowMs += stepMs;
        }
        nowMs += 10_000;
        walk();
        expect(seen.toSorted((one, other) => one - other)).toEqual(first.toSorted((one, other) => one - other));
      }),
    );
  });

  it('give each send of a schedule ahead of its time, if walked when they say', () => {
    const periods = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(periods, (all) => {
        const slots = new SendSlots<Due>();
        const left = new Map(all.map((periodMs) => [new Due(periodMs * 1e6), { periodMs, sends: 9 }]));
        for (const each of left.keys()) slots.add(each);
        let nowMs = 0;
        while (nowMs < Number.POSITIVE_INFINITY) {
          const nextNs = slots.walk(nowMs * 1e6, 100e6, (each) => {
            const schedule = left.get(each)!;
            while (each.dueNs <= (nowMs + 100) * 1e6 && schedule.sends > 0) {
              expect(each.dueNs).toBeGreaterThanOrEqual(nowMs * 1e6);
              schedule.sends--;
              each.dueNs += schedule.periodMs * 1e6;
            }
            if (schedule.sends > 0) slots.add(each);
          });
          nowMs = Math.max(nowMs + 1, Math.ceil(nextNs / 1e6));
        }
        expect([...left.values()].map(({ sends }) => sends)).toEqual(all.map(() => 0));
      }),
    );
  });
});
