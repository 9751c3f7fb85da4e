import { describe, expect, it } from 'vitest';
import { countIn, partsIn, shareIn } from './ledger.js';

const books = { expected: 211, delivered: 0, asked: 0, lostByCause: { reset: 7 } };

describe('a count of a ledger', () => {
  it('is 0 only where 0 was counted', () => {
    expect(['expected', 'delivered', 'lost', 'lostByCause', 'constructor'].map((name) => countIn(books, name))).toEqual(
      [211, 0, null, null, null],
    );
  });

  it('as a share of another is none where either is missing, or nothing is the whole', () => {
    expect(shareIn(books, 'delivered', 'expected')).toBe(0);
    expect(shareIn(books, 'lost', 'expected')).toBeNull();
    expect(shareIn(books, 'delivered', 'wanted')).toBeNull();
    expect(shareIn(books, 'delivered', 'asked')).toBeNull();
    expect(partsIn(books, 'delivered', 'asked')).toEqual({ part: 0, whole: 0 });
  });
});
