import { describe, expect, it } from 'vitest';
import { logNormalLatencies } from './latencies.js';

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
