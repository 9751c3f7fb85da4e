import { describe, expect, it } from 'vitest';
import { interval95, intervalAt } from './estimate.js';
import { chanceOfFewer, choose, studentReach } from './student.js';

describe('how far Student’s t reaches', () => {
  // Of the tables, two-sided.
  it.each([
    [0.95, 1, 12.706],
    [0.95, 2, 4.303],
    [0.95, 3, 3.182],
    [0.95, 4, 2.776],
    [0.95, 29, 2.045],
    [0.99, 1, 63.657],
    [0.99, 4, 4.604],
    [0.99, 7, 3.499],
    [0.998, 3, 10.215],
    [0.999, 10, 4.587],
    [0.95, 1009, 1.962],
  ])('at %d with %d degrees of freedom', (level, freedom, reach) => {
    expect(studentReach(level, freedom)).toBeCloseTo(reach, 3);
  });

  it('is rounded to the wider side', () => {
    expect(studentReach(0.95, 4.99)).toBe(studentReach(0.95, 4));
    expect(studentReach(0.95, 0.3)).toBe(studentReach(0.95, 1));
  });

  it('makes the interval that is known at 95 %, and wider ones', () => {
    const known = { centre: Math.log(743), variance: 0.017, freedom: 4.3 };
    const [low, high] = interval95(known);
    // 2.776 standard errors of four degrees of freedom.
    expect(Math.log(high / low) / 2).toBeCloseTo(2.776 * Math.sqrt(0.017), 3);
    expect(intervalAt(0.995, known)[0]).toBeLessThan(low);
    expect(intervalAt(0.995, known)[1]).toBeGreaterThan(high);
  });
});

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
