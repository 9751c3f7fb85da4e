import { describe, expect, it } from 'vitest';
import { costOf, readsOf, roundOrder, roundRatio, slopeOf } from './rounds.js';

const round = (us: number, readsPerUnit?: number) => ({ cpuUs: us * 7, units: 7, readsPerUnit });

describe('the order of a round', () => {
  it('has each reader first, in the middle and last', () => {
    const orders = [0, 1, 2, 3, 4, 5].map((each) => roundOrder(['a', 'b', 'c'], each).join(''));
    expect(orders).toEqual(['abc', 'bca', 'cab', 'cba', 'acb', 'bac']);
  });

  it('is that of one reader alone', () => {
    expect(roundOrder(['a'], 3)).toEqual(['a']);
  });
});

describe('rounds', () => {
  it('cost what the middle one did', () => {
    expect(costOf([round(11), round(3), round(97)])).toBe(11);
    expect(costOf([{ cpuUs: 600, units: 200 }])).toBe(3);
  });

  it('know their reads if one does', () => {
    expect(readsOf([round(3, 0.7), round(3), round(3, 0.9)])).toBeCloseTo(0.8, 10);
    expect(readsOf([round(3)])).toBeUndefined();
  });
});

describe('a ratio', () => {
  it('is the middle of the rounds, each with its own', () => {
    const ones = [round(3, 1), round(50, 1), round(6, 1)];
    expect(roundRatio(ones, [round(6, 1), round(20, 1), round(10, 1)])).toEqual({ value: 0.6, comparable: 3, of: 3 });
  });

  it('leaves out rounds whose reads differ by 5 % or more', () => {
    const others = [round(6, 0.951), round(20, 0.95), round(10, 1.0526)];
    expect(roundRatio([round(3, 1), round(3, 1), round(9, 1)], others)).toMatchObject({ comparable: 2, of: 3 });
    expect(roundRatio([round(3, 1)], [round(6, 0.9)])).toEqual({ value: Number.NaN, comparable: 0, of: 1 });
  });

  it('needs readers that count their reads', () => {
    expect(roundRatio([round(3, 1)], [round(6)])).toMatchObject({ value: Number.NaN, comparable: 0 });
  });
});

it('a further unit takes what many take beyond few', () => {
  expect(slopeOf({ units: 7, value: 1014 }, { units: 107, value: 1314 })).toBe(3);
});
