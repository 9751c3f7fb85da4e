import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { causesInWords, count, kindOfCause, shareOf } from './words.js';

describe('a share', () => {
  it.each([
    [0, 0, '–'],
    [0, 7, '0.00 %'],
    [210, 245, '85.71 %'],
    [245, 245, '100 %'],
    [999_999_999, 1_000_000_000, '99.99 %'],
  ])('of %d out of %d is %s', (delivered, expected, text) => {
    expect(shareOf(delivered, expected)).toBe(text);
  });

  it('is 100 only when nothing is missing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.nat({ max: 3 }), (expected, missing) => {
        const delivered = Math.max(0, expected - missing);
        expect(shareOf(delivered, expected) === '100 %').toBe(delivered === expected);
        expect(Number.parseFloat(shareOf(delivered, expected))).toBeLessThanOrEqual(100);
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

it('the kind of a cause is what stands before its detail', () => {
  expect(['http-status:503', 'rejected:a:b', 'reset', ''].map(kindOfCause)).toEqual([
    'http-status',
    'rejected',
    'reset',
    '',
  ]);
});
