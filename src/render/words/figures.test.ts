import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from './figures.js';

describe('milliseconds', () => {
  it.each([
    [0, '0.000'],
    [1, '0.001'],
    [412, '0.412'],
    [999, '0.999'],
    [1000, '1.00'],
    [3074, '3.07'],
    [9994, '9.99'],
    [10_000, '10.0'],
    [41_949, '41.9'],
    [100_000, '100'],
    [1_204_499, '1,204'],
    [4_294_967_295, '4,294,967'],
    [null, '–'],
    [undefined, '–'],
  ])('of %s microseconds are %s', (us, text) => {
    expect(milliseconds(us)).toBe(text);
  });

  it('are off by less than half a percent, and grow with the microseconds', () => {
    const read = (us: number): number => Number(milliseconds(us).replaceAll(',', ''));
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 2 ** 32 - 1 }), fc.nat({ max: 1009 }), (us, more) => {
        expect(Math.abs(read(us) * 1000 - us)).toBeLessThanOrEqual(us * 0.005);
        expect(read(us + more)).toBeGreaterThanOrEqual(read(us));
      }),
    );
  });
});
