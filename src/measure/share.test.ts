import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../test/law.js';
import { countIn, partsIn, shareIn } from './ledger.js';
import { gaugeTogether, metricTable, seriesSchema } from './series.js';
import { shareOf, shareStart } from './share.js';

const parts = (of: number): number[] => Array.from({ length: of }, (_, index) => index);

const splits = fc.oneof(fc.constantFrom(1, 2, 7, 13), fc.integer({ min: 1, max: 499 }));

describe('share', () => {
  it('adds up, differs by at most one, and lies side by side', () =>
    law(fc.nat({ max: 1e12 }), splits, (total, of) => {
      const shares = parts(of).map((index) => shareOf(total, index, of));
      expect(shares.reduce((sum, each) => sum + each, 0)).toBe(total);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      let start = 0;
      for (const [index, each] of shares.entries()) {
        expect(shareStart(total, index, of)).toBe(start);
        start += each;
      }
    }));

  it('is what dealing in turn gives', () =>
    law(fc.nat({ max: 997 }), fc.integer({ min: 1, max: 13 }), (total, of) => {
      for (const index of parts(of)) {
        let dealt = 0;
        for (let sequence = index; sequence < total; sequence += of) dealt++;
        expect(shareOf(total, index, of)).toBe(dealt);
      }
    }));

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

const books = { expected: 211, delivered: 0, asked: 0, lostByCause: { reset: 7 } };

describe('a count of a ledger', () => {
  it('is 0 only where 0 was counted', () =>
    expect(['expected', 'delivered', 'lost', 'lostByCause', 'constructor'].map((name) => countIn(books, name))).toEqual(
      [211, 0, null, null, null],
    ));

  it('as a share of another is none where either is missing, or nothing is the whole', () => {
    expect(shareIn(books, 'delivered', 'expected')).toBe(0);
    expect(shareIn(books, 'lost', 'expected')).toBeNull();
    expect(shareIn(books, 'delivered', 'wanted')).toBeNull();
    expect(shareIn(books, 'delivered', 'asked')).toBeNull();
    expect(partsIn(books, 'delivered', 'asked')).toEqual({ part: 0, whole: 0 });
  });
});

it('adds up what processes have each, and takes the worst of what they suffer each', () => {
  expect(gaugeTogether('rssBytes', [7, 11, 13])).toBe(31);
  expect(gaugeTogether('busiestThreadPercent', [7, 97, 13])).toBe(97);
  expect(gaugeTogether('connections', [])).toBeUndefined();
});

it('says of what the kernel counts for the whole host that it does', () => {
  const ofHost = ['memAvailableBytes', 'coreBusyPercent', 'acceptQueueOverflowsPerSecond'] as const;
  for (const name of ofHost) expect(metricTable[name].means).toMatch(/^host: /);
});

it('refuses a series with a value that is no number, or from an unknown source', () => {
  const good = { source: 'proc', name: 'rssBytes', unit: 'bytes', points: [{ atMs: 7, value: 11 }] };
  expect(seriesSchema.parse(good)).toEqual(good);
  expect(seriesSchema.safeParse({ ...good, points: [{ atMs: 7, value: Number.NaN }] }).success).toBe(false);
  expect(seriesSchema.safeParse({ ...good, source: 'rumour' }).success).toBe(false);
});
