import { describe, expect, it } from 'vitest';
import { brokenSums } from './footing.js';

const asked = { subscribers: 7, broadcasts: 13 };
const sound = { attempted: 13, acked: 11, refused: 2, failed: 0, expected: 77, delivered: 77, lost: 0 };

describe('brokenSums', () => {
  it('finds none in a ledger that foots', () => {
    expect(brokenSums(sound, asked)).toEqual([]);
  });

  it.each([
    [{ failed: 1 }, 'attempted = acked + refused + failed: 13 against 14'],
    [{ delivered: 76, lost: 0 }, 'expected = delivered + lost: 77 against 76'],
    [{ delivered: 76, lost: 1 }, 'lost = 0: 1 against 0'],
    [{ expected: 70, delivered: 70 }, 'expected = acked x subscribers: 70 against 77'],
    [{ attempted: 12, acked: 10, expected: 70, delivered: 70 }, 'attempted = broadcasts: 12 against 13'],
  ])('names the one that %j breaks', (change, broken) => {
    expect(brokenSums({ ...sound, ...change }, asked)).toEqual([broken]);
  });

  it('takes an empty ledger for a broken one', () => {
    expect(brokenSums({}, asked)).toHaveLength(5);
  });
});
