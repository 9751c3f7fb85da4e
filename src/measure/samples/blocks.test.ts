import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Blocks, binOf, binShare, binsPerBlock, blockOf, fewerBlocks, nearEdge, quantileUs } from './blocks.js';

describe('the bins of a block', () => {
  it('hold what lies between their edges, each at most 1.6 % wide', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 2 ** 27 - 1, noNaN: true }), (us) => {
        const bin = binOf(us);
        expect(nearEdge(bin)).toBeLessThanOrEqual(us);
        expect(nearEdge(bin + 1)).toBeGreaterThan(us);
        expect(nearEdge(bin + 1) / nearEdge(Math.max(bin, 1))).toBeLessThan(1.0157);
      }),
    );
  });

  it('take in what is shorter than the first and longer than the last', () => {
    expect([binOf(0), binOf(0.3), binOf(-7)]).toEqual([0, 0, 0]);
    expect([binOf(2 ** 27), binOf(1e12)]).toEqual([binsPerBlock - 1, binsPerBlock - 1]);
  });
});

describe('blocks', () => {
  const sumOf = (counts: Uint32Array): number => counts.reduce((sum, each) => sum + each, 0);

  it('count every sample once, in the block of its broadcast', () => {
    const units = fc.integer({ min: 1, max: 1009 });
    fc.assert(
      fc.property(units, fc.array(fc.tuple(fc.nat(), fc.double({ min: 0, max: 1e9, noNaN: true }))), (of, samples) => {
        const blocks = new Blocks(of);
        for (const [unit, us] of samples) blocks.record(unit % of, us);
        expect(sumOf(blocks.finish())).toBe(samples.length);
      }),
      { numRuns: 20 },
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
  for (const units of [7, 101, 499, 512]) {
    expect(fewerBlocks(filled(units), 101)).toEqual(filled(units, Math.min(units, 101)));
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

  it('is unknown where blocks hold several broadcasts', () => {
    expect(blockOf(new Uint32Array(7), 0, 513)).toBeUndefined();
  });
});
