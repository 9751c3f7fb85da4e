import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { Blocks } from '../samples/blocks.js';
import { openGauge } from '../series.js';
import { interval95, intervalAt } from './estimate.js';
import { blockMedians, chanceOfFewer, choose, fitLine, robustSlope, slopeReach95, studentReach } from './trend.js';

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
  law(line, wild, fc.integer({ min: 0, max: 25 }), ([slope, start], stall, from) => {
    const points = Array.from({ length: 31 }, (_, n) => [n / 31, start + (slope * n) / 31] as [number, number]);
    expect(robustSlope(points)).toBeCloseTo(slope, 2);
    const spoiled = points.map(([x, y], n): [number, number] => [x, stall[n - from] ?? y]);
    expect(robustSlope(spoiled)).toBeCloseTo(slope, 2);
  });
});

it('few points have no slope', () => {
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
    law(fc.array(point, { minLength: 3, maxLength: 31 }), fc.integer({ min: -97, max: 97 }), (points, tilt) => {
      const fit = fitLine(points);
      const tilted = fitLine(points.map(([x, y]) => [x + 11, y + tilt * x] as const));
      expect(tilted === undefined).toBe(fit === undefined);
      if (!fit || !tilted) return;
      expect(tilted.slope).toBeCloseTo(fit.slope + tilt, 5);
      expect(tilted.slopeError).toBeCloseTo(fit.slopeError, 5);
    });
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

describe('how far Student’s t reaches', () => {
  // Of the tables, two-sided.
  it.each([
    [0.95, 1, 12.706],
    [0.95, 2, 4.303],
    [0.95, 3, 3.182],
    [0.95, 4, 2.776],
    [0.95, 29, 2.045],
    [0.99, 1, 63.657],
    [0.99, 4, 4.604],
    [0.99, 7, 3.499],
    [0.998, 3, 10.215],
    [0.999, 10, 4.587],
    [0.95, 1009, 1.962],
  ])('at %d with %d degrees of freedom', (level, freedom, reach) =>
    expect(studentReach(level, freedom)).toBeCloseTo(reach, 3),
  );

  it('is rounded to the wider side', () => {
    expect(studentReach(0.95, 4.99)).toBe(studentReach(0.95, 4));
    expect(studentReach(0.95, 0.3)).toBe(studentReach(0.95, 1));
  });

  it('makes the interval that is known at 95 %, and wider ones', () => {
    const known = { centre: Math.log(743), variance: 0.017, freedom: 4.3 };
    const [low, high] = interval95(known);
    // 2.776 standard errors of four degrees of freedom.
    expect(Math.log(high / low) / 2).toBeCloseTo(2.776 * Math.sqrt(0.017), 3);
    expect(intervalAt(0.995, known)[0]).toBeLessThan(low);
    expect(intervalAt(0.995, known)[1]).toBeGreaterThan(high);
  });
});

const of = (kept: number, runs: number) => ({ kept, runs });

describe('the chance of fewer runs that keep a promise', () => {
  it.each([
    [of(3, 4), of(1, 4), 17 / 70],
    [of(4, 4), of(0, 4), 1 / 70],
    [of(2, 3), of(0, 1), 1 / 2],
    [of(9, 10), of(1, 10), 101 / 184_756],
    [of(0, 3), of(0, 5), 1],
    [of(1, 3), of(5, 5), 1],
  ])('%o, then %o', (one, other, chance) => expect(chanceOfFewer(one, other)).toBeCloseTo(chance, 12));
});

it('counts ways to choose', () =>
  expect([choose(7, 0), choose(7, 3), choose(7, 7), choose(13, 11)]).toEqual([1, 35, 1, 78]));

describe('the gauge of open connections', () => {
  it('is the running sum of what opened and closed', () => {
    const timeline = { opened: [7, 11, 0, 13], 'closed reset': [0, 0, 17], 'closed ours': [0, 0, 0, 0, 14] };
    expect(openGauge(timeline).atEnd).toEqual([7, 18, 1, 14, 0]);
  });

  it('has its peak before what closed in the same second', () => {
    expect(openGauge({ opened: [166, 87], 'closed end-of-stream': [0, 253] }).peak).toBe(253);
    expect(openGauge({ opened: [7, 11, 0, 19], 'closed reset': [0, 0, 17] }).peak).toBe(20);
  });

  it('leaves out those who never opened, and is zero of nothing', () => {
    expect(openGauge({ opened: [7], 'failed reset': [3, 5] }).peak).toBe(7);
    expect(openGauge({})).toEqual({ atEnd: [], peak: 0 });
  });
});
