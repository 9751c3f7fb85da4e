import { describe, expect, it } from 'vitest';
import { drawsOf } from '../stats/bootstrap.js';
import { studentReach } from '../stats/student.js';
import { errorAt } from './looks.js';

const planned = 6;
const manyFreedoms = 1e5;
/** The standard deviations beyond which a look claims something. */
const wallAt = (starts: number, last: number, statements: number): number => {
  const error = errorAt({ starts, planned, isLast: starts === last }, statements);
  return error === 0 ? Number.POSITIVE_INFINITY : studentReach(1 - error, manyFreedoms);
};

describe('the error of a look', () => {
  it.each([3, 4, 5, 6])('leaves one in twenty comparisons wrong over all looks, if number %i is the last', (last) => {
    const draw = drawsOf(7 * last);
    const uniform = (): number => (draw(1_000_003) + 0.5) / 1_000_003;
    const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const walls = Array.from({ length: last }, (_, before) => wallAt(before + 1, last, 1));
    const walks = 40_000;
    let wrong = 0;
    for (let walk = 0; walk < walks; walk++) {
      let sum = 0;
      const isBeyond = walls.map((wall, before) => {
        sum += normal();
        return Math.abs(sum) > wall * Math.sqrt(before + 1);
      });
      if (isBeyond.includes(true)) wrong++;
    }
    // Three standard errors.
    expect(Math.abs(wrong / walks - 0.05)).toBeLessThan(0.0033);
  });

  it('is nothing before the third start, and grows from look to look', () => {
    const errors = [1, 2, 3, 4, 5, 6].map((starts) => errorAt({ starts, planned, isLast: starts === planned }));
    expect(errors.slice(0, 2)).toEqual([0, 0]);
    expect(errors.slice(2)).toEqual(errors.slice(2).toSorted((a, b) => a - b));
  });

  it('is shared by the statements that may be wrong', () => {
    const look = { starts: 6, planned, isLast: true };
    expect(errorAt(look, 6) * 6).toBeLessThan(errorAt(look, 1));
    expect(errorAt(look, 6) * 6).toBeGreaterThan(errorAt(look, 1) * 0.8);
  });
});
