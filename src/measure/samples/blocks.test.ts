import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import {
  addBins,
  Blocks,
  binOf,
  binShare,
  binsPerBlock,
  blockOf,
  changedBins,
  fewerBlocks,
  nearEdge,
  putBins,
  quantileUs,
} from './blocks.js';
import { type BlockTimes, spansOf } from './distribution.js';

describe('the bins of a block', () => {
  it('hold what lies between their edges, each at most 1.6 % wide', () =>
    law(fc.double({ min: 1, max: 2 ** 27 - 1, noNaN: true }), (us) => {
      const bin = binOf(us);
      expect(nearEdge(bin)).toBeLessThanOrEqual(us);
      expect(nearEdge(bin + 1)).toBeGreaterThan(us);
      expect(nearEdge(bin + 1) / nearEdge(Math.max(bin, 1))).toBeLessThan(1.0157);
    }));

  it('take in what is shorter than the first and longer than the last', () => {
    expect([binOf(0), binOf(0.3), binOf(-7)]).toEqual([0, 0, 0]);
    expect([binOf(2 ** 27), binOf(1e12)]).toEqual([binsPerBlock - 1, binsPerBlock - 1]);
  });
});

describe('blocks', () => {
  const sumOf = (counts: Uint32Array): number => counts.reduce((sum, each) => sum + each, 0);

  it('count every sample once, in the block of its broadcast', () => {
    const units = fc.integer({ min: 1, max: 1009 });
    law.with(
      { numRuns: 20 },
      units,
      fc.array(fc.tuple(fc.nat(), fc.double({ min: 0, max: 1e9, noNaN: true }))),
      (of, samples) => {
        const blocks = new Blocks(of);
        for (const [unit, us] of samples) blocks.record(unit % of, us);
        expect(sumOf(blocks.finish())).toBe(samples.length);
      },
    );
  });

  it('are the broadcasts themselves up to 512, then runs of consecutive ones', () => {
    const inUse = (units: number): number[] => {
      const blocks = new Blocks(units);
      for (let unit = 0; unit < units; unit++) blocks.record(unit, 743);
      const counts = blocks.finish();
      return Array.from({ length: counts.length / binsPerBlock }, (_, block) =>
        sumOf(counts.subarray(block * binsPerBlock, (block + 1) * binsPerBlock)),
      );
    };
    expect(inUse(7)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(inUse(512)).toEqual(new Array(512).fill(1));
    expect(inUse(1699)).toHaveLength(512);
    expect(new Set(inUse(1699))).toEqual(new Set([3, 4]));
    expect(inUse(0)).toEqual([]);
  });
});

it('fewer blocks hold what as few would have counted at once', () => {
  const filled = (units: number, atMost = units): Uint32Array => {
    const blocks = new Blocks(atMost);
    for (let unit = 0; unit < units; unit++) blocks.record(Math.floor((unit * atMost) / units), 743 + 101 * unit);
    return blocks.finish();
  };
  // As bytes: a comparison by elements takes seconds.
  const bytes = (counts: Uint32Array): Buffer => Buffer.from(counts.slice().buffer);
  for (const units of [7, 101, 499, 512]) {
    const asFew = filled(units, Math.min(units, 101));
    expect(bytes(fewerBlocks(filled(units), 101)).equals(bytes(asFew)), `${units}`).toBe(true);
  }
});

describe('the quantile of one broadcast', () => {
  const blocksWith = (...units: readonly number[][]): Uint32Array => {
    const blocks = new Blocks(units.length);
    units.forEach((values, unit) => {
      for (const us of values) blocks.record(unit, us);
    });
    return blocks.finish();
  };
  const times = Array.from({ length: 101 }, (_, n) => 1000 + 10 * n);

  it('is that of its samples, to the width of a bin', () => {
    const counts = blockOf(blocksWith([7], times), 1, 2)!;
    for (const share of [0.1, 0.5, 0.9, 1])
      expect(Math.abs(quantileUs(counts, share)! / (1000 + 1000 * share) - 1)).toBeLessThan(binShare);
  });

  it('ranks what is behind all others', () => {
    const counts = blockOf(blocksWith(times), 0, 1)!;
    expect(quantileUs(counts, 0.5, 101)).toBeGreaterThan(1950);
    expect(quantileUs(counts, 0.5, 103)).toBeUndefined();
    expect(quantileUs(new Uint32Array(7), 0.5)).toBeUndefined();
  });

  it('is unknown where blocks hold several broadcasts', () =>
    expect(blockOf(new Uint32Array(7), 0, 513)).toBeUndefined());
});

const rows = fc.array(fc.array(fc.nat(9), { minLength: 13, maxLength: 13 }), { minLength: 1, maxLength: 7 });

it('what a worker told piece by piece is all that it has', () =>
  law(rows, (steps) => {
    const [counts, told, heard] = [0, 1, 2].map(() => new Uint32Array(13)) as [Uint32Array, Uint32Array, Uint32Array];
    for (const step of steps) {
      step.forEach((more, bin) => {
        counts[bin] = (counts[bin] as number) + more;
      });
      putBins(changedBins(counts, told), heard);
      expect(changedBins(counts, told)).toEqual([]);
    }
    expect(heard).toEqual(counts);
  }));

it('bins of several workers add up, and those without samples do not travel', () => {
  expect(addBins([])).toEqual([]);
  expect(addBins([Uint32Array.of(0, 7, 0, 2), Uint32Array.of(0, 1, 0, 0)])).toEqual([1, 8, 3, 2]);
});

const times = (more: Partial<BlockTimes> = {}): BlockTimes => ({
  stage: 'publish',
  firstMs: 110,
  everyMs: 10,
  units: 1009,
  ...more,
});

describe('the course of a metric', () => {
  it('counts every sample once, in spans that touch and end with the schedule', () => {
    const samples = fc.array(fc.tuple(fc.nat(1008), fc.integer({ min: 0, max: 200_000_000 })), { maxLength: 307 });
    const schedule = fc.record({
      units: fc.constantFrom(1, 7, 256, 257, 1009),
      everyMs: fc.constantFrom(0.1, 7, 1503),
    });
    law.with({ numRuns: 29 }, samples, schedule, (list, { units, everyMs }) => {
      const blocks = new Blocks(units);
      for (const [unit, us] of list) blocks.record(unit % units, us);
      const spans = spansOf(blocks.finish(), times({ units, everyMs }), 13);
      expect(spans.reduce((sum, { count }) => sum + count, 0)).toBe(list.length);
      expect(spans[0]?.fromMs).toBe(123);
      expect(spans.at(-1)?.toMs).toBeCloseTo(123 + units * everyMs, 6);
      spans.slice(1).forEach(({ fromMs }, index) => void expect(fromMs).toBe(spans[index]?.toMs));
      for (const { fromMs, toMs } of spans.slice(0, -1)) expect(toMs - fromMs).toBeGreaterThanOrEqual(1000);
    });
  });

  it('has each broadcast where the schedule wanted it', () => {
    const blocks = new Blocks(300);
    // 100 broadcasts a second: the first second has three blocks of a broadcast more than one.
    for (let unit = 0; unit < 300; unit++) for (let n = 0; n < 7; n++) blocks.record(unit, unit < 150 ? 1000 : 9000);
    const spans = spansOf(blocks.finish(), times({ firstMs: 0, units: 300 }), 0);
    for (const { fromMs, toMs, count } of spans) expect(count).toBe(((toMs - fromMs) / 10) * 7);
    expect(spans.map(({ p50 }) => p50 !== null && p50 < 1020)).toEqual([true, true, false]);
  });

  it('has no percentile that the count can not carry, and else one of the bin', () => {
    const course = (samples: number) => {
      const blocks = new Blocks(1);
      for (let n = 0; n < samples; n++) blocks.record(0, n < samples * 0.98 ? 743 : 5003);
      return spansOf(blocks.finish(), times({ units: 1 }), 0)[0];
    };
    expect(course(0)).toMatchObject({ count: 0, p50: null, p99: null });
    expect(course(9)).toMatchObject({ count: 9, p50: null, p99: null });
    expect(course(499)).toMatchObject({ count: 499, p99: null });
    const carried = course(500);
    expect(Math.abs((carried?.p50 ?? 0) / 743 - 1)).toBeLessThan(0.01);
    expect(Math.abs((carried?.p99 ?? 0) / 5003 - 1)).toBeLessThan(0.01);
  });
});
