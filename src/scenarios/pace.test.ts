import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueAtNs, dueCount, lastsMs } from './pace.js';

const rates = fc.double({ min: 0.001, max: 1e6, noNaN: true });
const totals = fc.integer({ min: 1, max: 1_000_003 });
const elapsed = fc.double({ min: -1e9, max: 1e14, noNaN: true });

describe('an even schedule', () => {
  it('has its first at once and the others one interval apart', () => {
    expect([0, 1, 2, 7].map((n) => dueAtNs(n, 5))).toEqual([0, 200e6, 400e6, 1400e6]);
    expect([-1, 0, 199_999_999, 200e6, 600e6, 1e12].map((at) => dueCount(at, 7, 5))).toEqual([0, 1, 1, 2, 4, 7]);
  });

  it('lasts until one more would be due', () => {
    expect([0, 1, 7, 1009].map((events) => lastsMs(events, 4))).toEqual([0, 250, 1750, 252_250]);
    expect(lastsMs(7, 3)).toBeCloseTo(dueAtNs(7, 3) / 1e6, 9);
  });

  it('counts as due exactly those whose instant has come', () => {
    fc.assert(
      fc.property(elapsed, totals, rates, (atNs, total, rate) => {
        const due = dueCount(atNs, total, rate);
        expect(due).toBeGreaterThanOrEqual(0);
        expect(due).toBeLessThanOrEqual(total);
        if (due > 0) expect(dueAtNs(due - 1, rate)).toBeLessThanOrEqual(atNs);
        if (due < total) expect(dueAtNs(due, rate)).toBeGreaterThan(atNs);
      }),
    );
  });

  it('counts n + 1 at the instant of number n', () => {
    // The product of this instant and its rate rounds to just below the whole number.
    expect(dueCount(dueAtNs(970_657, 1.1848129280914548), 1_000_003, 1.1848129280914548)).toBe(970_658);
    fc.assert(
      fc.property(fc.nat({ max: 1_000_003 }), rates, (n, rate) => {
        expect(dueCount(dueAtNs(n, rate), n + 2, rate)).toBe(n + 1);
      }),
      { numRuns: 1009 },
    );
  });

  it('never goes back', () => {
    fc.assert(
      fc.property(elapsed, fc.double({ min: 0, max: 1e9, noNaN: true }), totals, rates, (atNs, later, total, rate) => {
        expect(dueCount(atNs + later, total, rate)).toBeGreaterThanOrEqual(dueCount(atNs, total, rate));
      }),
    );
  });

  it('of nobody has nobody due', () => {
    expect(dueCount(1e9, 0, 0)).toBe(0);
  });
});
