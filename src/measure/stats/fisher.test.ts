import { describe, expect, it } from 'vitest';
import { chanceOfFewer, choose } from './fisher.js';

const of = (kept: number, runs: number) => ({ kept, runs });

describe('the chance of fewer runs that keep a promise', () => {
  it.each([
    [of(3, 4), of(1, 4), 17 / 70],
    [of(4, 4), of(0, 4), 1 / 70],
    [of(2, 3), of(0, 1), 1 / 2],
    [of(9, 10), of(1, 10), 101 / 184_756],
    [of(0, 3), of(0, 5), 1],
    [of(1, 3), of(5, 5), 1],
  ])('%o, then %o', (one, other, chance) => {
    expect(chanceOfFewer(one, other)).toBeCloseTo(chance, 12);
  });
});

it('counts ways to choose', () => {
  expect([choose(7, 0), choose(7, 3), choose(7, 7), choose(13, 11)]).toEqual([1, 35, 1, 78]);
});
