import { describe, expect, it } from 'vitest';
import { Blocks, binOf, nearEdge } from '../samples/blocks.js';
import { drawsOf, intervalOf, resampledPercentiles } from './bootstrap.js';
import { type Estimate, estimate, interval95, ratioOf } from './estimate.js';

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
const intervalFor = (run: Uint32Array, figure = 1500): readonly [number, number] =>
  intervalOf(resampledPercentiles(run, [0.5], drawsOf(7))?.[0] as Uint16Array, figure);

describe('a percentile drawn anew over broadcasts', () => {
  it('is the same of the same seed', () => {
    expect(intervalFor(runOf(evenly(101)))).toEqual(intervalFor(runOf(evenly(101))));
  });

  it('is as wide as a bin where all broadcasts took one time: of steady runs no more is known', () => {
    const [low, high] = intervalFor(runOf(new Array(101).fill(4979)), 4979);
    expect([low, high]).toEqual([nearEdge(binOf(4979)), nearEdge(binOf(4979) + 1)]);
    expect(low).toBeLessThan(4979);
    expect(high).toBeGreaterThan(4979);
  });

  it('holds its figure, also one that is none of the samples drawn', () => {
    expect(intervalFor(runOf(new Array(101).fill(743)), 701)[0]).toBe(701);
    expect(intervalFor(runOf(new Array(101).fill(743)), 797)[1]).toBe(797);
  });

  it('leaves two steady runs whose figures share a bin together', () => {
    const [one, other] = [4979, 4999].map((us) =>
      estimate([us], [intervalFor(runOf(new Array(101).fill(us)), us)]),
    ) as [Estimate, Estimate];
    const [low, high] = interval95(ratioOf(one, other));
    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(1);
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
