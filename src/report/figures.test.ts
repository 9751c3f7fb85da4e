import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { causesInWords, count, deliveredShare, milliseconds } from './figures.js';

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

describe('the delivered share', () => {
  it.each([
    [0, 0, '–'],
    [0, 7, '0.00 %'],
    [210, 245, '85.71 %'],
    [245, 245, '100 %'],
    [999_999_999, 1_000_000_000, '99.99 %'],
  ])('of %d out of %d is %s', (delivered, expected, text) => {
    expect(deliveredShare(delivered, expected)).toBe(text);
  });

  it('is 100 only when nothing is missing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.nat({ max: 3 }), (expected, missing) => {
        const delivered = Math.max(0, expected - missing);
        expect(deliveredShare(delivered, expected) === '100 %').toBe(delivered === expected);
        expect(Number.parseFloat(deliveredShare(delivered, expected))).toBeLessThanOrEqual(100);
      }),
    );
  });
});

it('a count has its thousands apart', () => {
  expect([0, 997, 1009, 203_212].map(count)).toEqual(['0', '997', '1,009', '203,212']);
});

it('causes are told with the commonest first', () => {
  expect(causesInWords({ 'close-code:1006': 1, reset: 1009, tls: 3 })).toBe(
    'reset × 1,009, tls × 3, close-code:1006 × 1',
  );
  expect(causesInWords({})).toBe('');
});
