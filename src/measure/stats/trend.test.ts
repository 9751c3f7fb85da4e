import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { Blocks } from '../samples/blocks.js';
import { blockMedians, fitLine, robustSlope, slopeReach95 } from './trend.js';

it('finds the median of every block, to the width of a bin, and passes over those without a sample', () => {
  const blocks = new Blocks(4);
  for (const us of [997, 1009, 50_021]) blocks.record(0, us);
  for (const us of [7]) blocks.record(2, us);
  for (const us of [20_011, 20_011, 3, 3]) blocks.record(3, us);
  const medians = blockMedians(blocks.finish());
  expect(medians.map(([place]) => place)).toEqual([0.125, 0.625, 0.875]);
  for (const [index, us] of [1009, 7, 3].entries()) {
    expect(Math.abs((medians[index] as [number, number])[1] - us)).toBeLessThanOrEqual(us * 0.017);
  }
});

it('gives the slope of a line, whatever a fifth of its points say', () => {
  const line = fc.tuple(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.double({ min: 0, max: 1e6, noNaN: true }));
  const wild = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(line, wild, fc.integer({ min: 0, max: 25 }), ([slope, start], stall, from) => {
      const points = Array.from({ length: 31 }, (_, n) => [n / 31, start + (slope * n) / 31] as [number, number]);
      expect(robustSlope(points)).toBeCloseTo(slope, 2);
      const spoiled = points.map(([x, y], n): [number, number] => [x, stall[n - from] ?? y]);
      expect(robustSlope(spoiled)).toBeCloseTo(slope, 2);
    }),
  );
});

test('few points have no slope', () => {
  expect(robustSlope([])).toBeUndefined();
  expect(robustSlope(Array.from({ length: 7 }, (_, n) => [n, n] as const))).toBeUndefined();
  expect(robustSlope(Array.from({ length: 9 }, () => [1, 7] as const))).toBeUndefined();
});

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
