import { describe, expect, it } from 'vitest';
import { Blocks, binOf, nearEdge } from '../samples/blocks.js';
import { type Draw, drawsOf, intervalOf, resampledPercentiles } from './bootstrap.js';
import { type Estimate, estimate, interval95, ratioOf } from './estimate.js';

/** A run of broadcasts, each with seven deliveries of one time. */
function runOf(times: readonly number[]): Uint32Array {
  const blocks = new Blocks(times.length);
  times.forEach((us, broadcast) => {
    for (let delivery = 0; delivery < 7; delivery++) blocks.record(broadcast, us);
  });
  return blocks.finish();
}

/** Even times in a random order: a trend would be one long slow stretch. */
function evenly(broadcasts: number): number[] {
  const draw = drawsOf(3);
  const times = Array.from({ length: broadcasts }, (_, broadcast) => 1000 * (1 + broadcast / broadcasts));
  for (let left = broadcasts; left > 1; left--) {
    const at = draw(left);
    [times[at], times[left - 1]] = [times[left - 1] as number, times[at] as number];
  }
  return times;
}

const intervalFor = (run: Uint32Array, figure = 1500, share = 0.5, seed = 7): readonly [number, number] => {
  const { bins, beyond } = resampledPercentiles(run, [share], drawsOf(seed))!;
  return intervalOf(bins[0] as Uint16Array, beyond, figure);
};

describe('a percentile drawn anew over broadcasts', () => {
  it('is the same of the same seed', () =>
    expect(intervalFor(runOf(evenly(101)))).toEqual(intervalFor(runOf(evenly(101)))));

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

  describe('covers the truth in at least nine runs of ten', () => {
    const nearestRank = (times: readonly number[], share: number): number =>
      Float64Array.from(times).sort()[Math.ceil(times.length * share) - 1] as number;
    const unit = (draw: Draw): number => (draw(1_000_000) + 0.5) / 1_000_000;
    const normal = (draw: Draw): number => Math.sqrt(-2 * Math.log(unit(draw))) * Math.cos(2 * Math.PI * unit(draw));
    const usual = (draw: Draw): number => 5000 * Math.exp(0.15 * normal(draw));
    const stall = (draw: Draw): number => 5000 + draw(145_000);
    /** Times of broadcasts, each from a model of what machines do; neighbours share episodes and drifts. */
    const models: Record<string, (draw: Draw, broadcasts: number) => number[]> = {
      'independent broadcasts': (draw, broadcasts) => Array.from({ length: broadcasts }, () => usual(draw)),
      'stalls on 0.5 %': (draw, broadcasts) =>
        Array.from({ length: broadcasts }, () => usual(draw) + (unit(draw) < 0.005 ? stall(draw) : 0)),
      'stalls on 3 %': (draw, broadcasts) =>
        Array.from({ length: broadcasts }, () => usual(draw) + (unit(draw) < 0.03 ? stall(draw) : 0)),
      'a drift of 10 % over some ten broadcasts'(draw, broadcasts) {
        let drift = 0.1 * normal(draw);
        return Array.from({ length: broadcasts }, () => {
          drift = 0.9 * drift + Math.sqrt(1 - 0.9 ** 2) * 0.1 * normal(draw);
          return usual(draw) * Math.exp(drift);
        });
      },
      'slow episodes of ten broadcasts'(draw, broadcasts) {
        let left = 0;
        return Array.from({ length: broadcasts }, () => {
          if (left === 0 && unit(draw) < 0.01) left = 10;
          left = Math.max(0, left - 1);
          return usual(draw) * (left > 0 ? 2 : 1);
        });
      },
    };

    it.each([
      [0.5, 100],
      [0.5, 500],
      [0.99, 500],
    ] as const)('at %s of %d broadcasts', (share, broadcasts) => {
      const draw = drawsOf(17);
      const trials = 16;
      const covered = Object.values(models).map((model) => {
        const truth = nearestRank(model(draw, 100_000), share);
        let held = 0;
        for (let trial = 0; trial < trials; trial++) {
          const times = model(draw, broadcasts);
          const [low, high] = intervalFor(runOf(times), nearestRank(times, share), share, trial);
          if (low <= truth && truth <= high) held++;
        }
        return held;
      });
      const all = covered.reduce((sum, each) => sum + each, 0);
      expect(all / (covered.length * trials)).toBeGreaterThanOrEqual(0.9);
      expect(Math.min(...covered) / trials).toBeGreaterThanOrEqual(0.75);
    });
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
