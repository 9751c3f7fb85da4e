import { describe, expect, it } from 'vitest';
import { pairOf } from '../../../src/measure/statement.js';
import type { KeptPairedRatio } from '../../../src/results/paired.js';
import { printers, shareFinding } from '../judge.js';
import { areInOrder, contains, isAffected, isApart, isBlamed, outsideBy } from './product.js';

const pair = (a: string, b: string, ratio: number, holds: KeptPairedRatio['holds'] = 'yes'): KeptPairedRatio => {
  const interval: [number, number] = [ratio * 0.9, ratio * 1.1];
  return {
    a,
    b,
    ratio,
    interval,
    joint: interval,
    theseProcesses: null,
    ofMedians: ratio,
    change: null,
    missing: null,
    because: null,
    family: 1,
    holds,
  };
};
const said = (...pairs: KeptPairedRatio[]) => ({ pairs, withheld: [] });

describe('a pair', () => {
  it('is read either way round', () => {
    expect(pairOf([pair('a', 'b', 2)], 'a', 'b')).toMatchObject({ ratio: 2 });
    expect(pairOf([pair('a', 'b', 2)], 'b', 'a')).toMatchObject({ ratio: 0.5, interval: [1 / 2.2, 1 / 1.8] });
    expect(pairOf([pair('a', 'b', 2)], 'a', 'c')).toBeUndefined();
  });

  it('is apart only if nothing is withheld', () => {
    expect(isApart(said(pair('a', 'b', 2)), 'b', 'a')).toBe(true);
    expect(isApart(said(pair('a', 'b', 2, 'open')), 'b', 'a')).toBe(false);
    expect(isApart({ ...said(pair('a', 'b', 2)), withheld: ['controlApart'] }, 'b', 'a')).toBe(false);
  });

  it('contains the truth with both ends', () => {
    const one = said(pair('a', 'b', 1));
    expect([0.89, 0.9, 1, 1.1, 1.11].map((truth) => contains(one, 'a', 'b', truth))).toEqual([
      ...[false, true, true, true, false],
    ]);
    expect(contains(one, 'a', 'c', 1)).toBe(false);
  });
});

describe('an order', () => {
  const whole = [pair('fast', 'mid', 0.5), pair('slow', 'mid', 2), pair('fast', 'slow', 0.3)];

  it('needs every pair apart and the right way round', () => {
    expect(areInOrder(said(...whole), ['fast', 'mid', 'slow'])).toBe(true);
    expect(areInOrder(said(...whole), ['mid', 'fast', 'slow'])).toBe(false);
    expect(areInOrder(said(...whole.slice(1)), ['fast', 'mid', 'slow'])).toBe(false);
    const open = [...whole.slice(0, 2), pair('fast', 'slow', 0.3, 'open')];
    expect(areInOrder(said(...open), ['fast', 'mid', 'slow'])).toBe(false);
  });
});

describe('brackets', () => {
  it('say by how much each truth is outside, rank by rank', () => {
    const least = [9, 1, 5];
    expect(outsideBy({ least, truth: [2, 10, 6], most: [12, 3, 7] })).toEqual([0, 0, 0]);
    expect(outsideBy({ least, truth: [2, 4, 15], most: [12, 3, 7] })).toEqual([0, -1, 3]);
    expect(() => outsideBy({ least, truth: [1], most: [1] })).toThrow();
  });
});

describe('a figure of a frozen rig', () => {
  it('is affected beyond the margin, and blamed by a mark that reaches down to the truth', () => {
    expect(isAffected({ us: 30_000, truthUs: 10_000, leastUs: undefined }, 20_000)).toBe(false);
    expect(isAffected({ us: 30_001, truthUs: 10_000, leastUs: undefined }, 20_000)).toBe(true);
    expect(isBlamed({ us: 500_000, truthUs: 10_000, leastUs: undefined }, 100)).toBe(false);
    expect(isBlamed({ us: 500_000, truthUs: 10_000, leastUs: 10_101 }, 100)).toBe(false);
    expect(isBlamed({ us: 500_000, truthUs: 10_000, leastUs: 10_100 }, 100)).toBe(true);
  });
});

describe('a share of repeats', () => {
  const bound = { what: 'wrong', atMost: 0.1, print: printers.percent };

  it('counts those that are wrong', () => {
    const tenth = Array.from({ length: 10 }, (_, index) => index);
    expect(shareFinding(bound, tenth, (index) => index === 3)).toMatchObject({ value: 0.1, detail: '1 of 10' });
    expect(shareFinding(bound, [1], () => true)).toMatchObject({ value: 1 });
    expect(shareFinding(bound, [], () => true).bound).toBe(bound);
  });

  it('is no figure without a repeat', () => {
    expect(shareFinding(bound, [], () => true)).toMatchObject({ value: Number.NaN });
  });

  it('prints parts of a percent', () => {
    expect([0, 0.05, 0.0012].map(bound.print)).toEqual(['0 %', '5 %', '0.12 %']);
  });
});
