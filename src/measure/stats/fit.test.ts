import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitLine, slopeReach95 } from './fit.js';

/** Of a fixed seed, even between -1 and 1 (mulberry32). */
function noise(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

describe('a line through points', () => {
  it('is the line they lie on, without an error', () => {
    const points = [0, 101, 211, 503].map((x) => [x, 7 * x + 13] as const);
    expect(fitLine(points)).toEqual({
      slope: expect.closeTo(7, 9),
      intercept: expect.closeTo(13, 6),
      slopeError: expect.closeTo(0, 6),
      points: 4,
    });
  });

  it('has the standard error of the textbook', () => {
    // Middle (2, 2), spread 2, residuals 1/6, -1/3, 1/6: slope 1.5, error √((1/6) / 1 / 2).
    const fit = fitLine([
      [1, 0.667],
      [2, 1.667],
      [3, 3.667],
    ]);
    expect(fit?.slope).toBeCloseTo(1.5, 9);
    expect(fit?.slopeError).toBeCloseTo(Math.sqrt(1 / 12), 9);
  });

  it('finds a slope under noise within a few of its errors, and the error tells the noise', () => {
    const errors = [0, 211, 2003].map((size) => {
      const next = noise(7);
      const fit = fitLine(Array.from({ length: 101 }, (_, n) => [n * 31, 503 * n * 31 + size * next()] as const));
      expect(Math.abs(fit!.slope - 503)).toBeLessThanOrEqual(3 * fit!.slopeError + 1e-6);
      return fit!.slopeError;
    });
    expect(errors[2]! / errors[1]!).toBeCloseTo(2003 / 211, 3);
  });

  it('reaches by Student’s t of the points less two', () => {
    expect(slopeReach95({ slopeError: 1000, points: 8 })).toBeCloseTo(2446.9, 0);
    expect(slopeReach95({ slopeError: 1000, points: 1009 })).toBeCloseTo(1962.3, 0);
  });

  it('moves with its points', () => {
    const point = fc.tuple(fc.integer({ min: -1009, max: 1009 }), fc.integer({ min: -1009, max: 1009 }));
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 3, maxLength: 31 }),
        fc.integer({ min: -97, max: 97 }),
        (points, tilt) => {
          const fit = fitLine(points);
          const tilted = fitLine(points.map(([x, y]) => [x + 11, y + tilt * x] as const));
          expect(tilted === undefined).toBe(fit === undefined);
          if (!fit || !tilted) return;
          expect(tilted.slope).toBeCloseTo(fit.slope + tilt, 5);
          expect(tilted.slopeError).toBeCloseTo(fit.slopeError, 5);
        },
      ),
    );
  });

  it.each([
    ['nothing', []],
    [
      'two points',
      [
        [1, 2],
        [3, 5],
      ],
    ],
    [
      'points above each other',
      [
        [7, 2],
        [7, 3],
        [7, 5],
        [7, 7],
      ],
    ],
  ] as [string, [number, number][]][])('is none of %s', (_of, points) => {
    expect(fitLine(points)).toBeUndefined();
  });
});
