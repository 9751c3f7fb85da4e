import { describe, expect, it } from 'vitest';
import { logNormalLatencies } from '../../../test/doubles/simulated-fleet.js';
import { growthOf } from './memories.js';

describe('logNormalLatencies', () => {
  const values = logNormalLatencies(10_007, 3);

  it('is sorted, the same for the same seed and another for another', () => {
    expect(values.toSorted()).toEqual(values);
    expect(logNormalLatencies(10_007, 3)).toEqual(values);
    expect(logNormalLatencies(10_007, 4)).not.toEqual(values);
  });

  it('has the median and the tail of the distribution', () => {
    const at = (share: number): number => values[Math.floor(share * values.length)] as number;
    // Log-normal: p99 is the median times exp(2.326 sigma).
    expect(at(0.5) / 7000).toBeCloseTo(1, 1);
    expect(at(0.99) / at(0.5)).toBeGreaterThan(5.5);
    expect(at(0.99) / at(0.5)).toBeLessThan(7.5);
  });
});

describe('growthOf', () => {
  it('compares the end of a series with its start', () => {
    const leak = Array.from({ length: 121 }, (_each, index) => 100 + index / 10);
    expect(growthOf(leak, 13)).toBeCloseTo(0.1073, 3);
    expect(growthOf(leak.toReversed(), 13)).toBeLessThan(0);
  });

  it('ignores outliers and the middle', () => {
    expect(growthOf([70, 70, 700, 7000, 7000, 70, 70, 700], 3)).toBe(0);
  });

  it('compares the halves of a series that is shorter than both windows', () => {
    expect(growthOf([50, 50, 50, 53, 53, 53], 12)).toBeCloseTo(0.06, 10);
    expect(growthOf([50, 1, 53], 12)).toBeCloseTo(0.06, 10);
  });

  it.each([[[]], [[7]]])('throws for %j', (readings) => {
    expect(() => growthOf(readings, 3)).toThrow('two readings');
  });
});
