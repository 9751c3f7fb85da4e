import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareOf, shareStart } from './share.js';

const parts = (of: number): number[] => Array.from({ length: of }, (_, index) => index);
const splits = fc.oneof(fc.constantFrom(1, 2, 7, 13), fc.integer({ min: 1, max: 499 }));

describe('share', () => {
  it('adds up, differs by at most one, and lies side by side', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e12 }), splits, (total, of) => {
        const shares = parts(of).map((index) => shareOf(total, index, of));
        expect(shares.reduce((sum, each) => sum + each, 0)).toBe(total);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
        let start = 0;
        for (const [index, each] of shares.entries()) {
          expect(shareStart(total, index, of)).toBe(start);
          start += each;
        }
      }),
    );
  });

  it('is what dealing in turn gives', () => {
    fc.assert(
      fc.property(fc.nat({ max: 997 }), fc.integer({ min: 1, max: 13 }), (total, of) => {
        for (const index of parts(of)) {
          let dealt = 0;
          for (let sequence = index; sequence < total; sequence += of) dealt++;
          expect(shareOf(total, index, of)).toBe(dealt);
        }
      }),
    );
  });

  it.each([
    [-1, 0, 1],
    [1.5, 0, 1],
    [Number.NaN, 0, 1],
    [2 ** 53, 0, 1],
    [7, 0, 0],
    [7, 3, 3],
    [7, -1, 3],
    [7, 0.5, 3],
    [7, 0, 2.5],
  ])('throws on share(%d, %d, %d)', (total, index, of) => {
    expect(() => shareOf(total, index, of)).toThrow(RangeError);
    expect(() => shareStart(total, index, of)).toThrow(RangeError);
  });
});
