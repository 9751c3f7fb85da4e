import { describe, expect, it } from 'vitest';
import { brokenSums } from './driver.js';

const acked = 110_000;
const sound = { attempted: 13, acked: 11, refused: 2, failed: 0, expected: acked, delivered: acked, lost: 0 };

describe('brokenSums', () => {
  it.each([
    [{}, 0],
    [{ failed: 1 }, 1],
    [{ delivered: acked - 1 }, 1],
    [{ delivered: acked - 1, lost: 1 }, 1],
    [{ expected: acked - 7, delivered: acked - 7 }, 1],
    [{ attempted: 12, refused: 1 }, 1],
    [{ failed: undefined }, 1],
    [{ expected: undefined }, 2],
  ])('of a ledger with %j: %i', (change, broken) => {
    // A count that is undefined is left out.
    const ledger = JSON.parse(JSON.stringify({ ...sound, ...change }));
    expect(brokenSums({ ledger }, 13)).toBe(broken);
  });

  it('breaks every sum of an empty ledger', () => {
    expect(brokenSums({ ledger: {} }, 13)).toBe(5);
  });
});
