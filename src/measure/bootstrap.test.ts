import { describe, expect, it } from 'vitest';
import { Blocks } from './blocks.js';
import { drawsOf, intervalOf, resampledPercentiles } from './bootstrap.js';

/** A run of broadcasts, each with seven deliveries of one time. */
function runOf(times: readonly number[]): Uint32Array {
  const blocks = new Blocks(times.length);
  times.forEach((us, broadcast) => {
    for (let delivery = 0; delivery < 7; delivery++) blocks.record(broadcast, us);
  });
  return blocks.finish();
}

const evenly = (broadcasts: number, from = 1000): number[] =>
  Array.from({ length: broadcasts }, (_, broadcast) => from * (1 + broadcast / broadcasts));
const intervalFor = (run: Uint32Array): readonly [number, number] =>
  intervalOf(resampledPercentiles(run, [0.5], drawsOf(7))?.[0] as Float64Array);

describe('a percentile drawn anew over broadcasts', () => {
  it('is the same of the same seed', () => {
    expect(intervalFor(runOf(evenly(101)))).toEqual(intervalFor(runOf(evenly(101))));
  });

  it('is one value where all broadcasts took one time', () => {
    const [low, high] = intervalFor(runOf(new Array(101).fill(743)));
    expect(low).toBe(high);
    expect(Math.abs(low - 743)).toBeLessThan(743 * 0.008);
  });

  it('spreads as the theory of the median says', () => {
    // The median of n even draws over [1000, 2000] has the standard deviation 1000 / (2 √n).
    const [low, high] = intervalFor(runOf(evenly(101)));
    const expected = 2 * 1.96 * (1000 / (2 * Math.sqrt(101)));
    expect((high - low) / expected).toBeGreaterThan(0.75);
    expect((high - low) / expected).toBeLessThan(1.25);
    expect(low).toBeLessThan(1500);
    expect(high).toBeGreaterThan(1500);
  });

  it('covers the truth about 95 times in 100', () => {
    const draw = drawsOf(13);
    let covered = 0;
    for (let trial = 0; trial < 100; trial++) {
      const times = Array.from({ length: 61 }, () => 1000 + draw(1000));
      const [low, high] = intervalFor(runOf(times));
      if (low <= 1500 && 1500 <= high) covered++;
    }
    expect(covered).toBeGreaterThanOrEqual(88);
  });

  it('does not take the deliveries of a broadcast for independent', () => {
    // Seven times the deliveries of the same broadcasts tell no more than one of each.
    const single = new Blocks(101);
    evenly(101).forEach((us, broadcast) => {
      single.record(broadcast, us);
    });
    expect(intervalFor(single.finish())).toEqual(intervalFor(runOf(evenly(101))));
  });

  it('is not drawn of fewer than ten broadcasts with samples', () => {
    expect(resampledPercentiles(runOf(evenly(9)), [0.5], drawsOf(7))).toBeUndefined();
    const silent = new Blocks(97);
    for (let broadcast = 0; broadcast < 9; broadcast++) silent.record(broadcast, 743);
    expect(resampledPercentiles(silent.finish(), [0.5], drawsOf(7))).toBeUndefined();
  });
});
