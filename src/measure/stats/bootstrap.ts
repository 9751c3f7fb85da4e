import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { cumulativeStdNormalProbability, standardDeviation } from 'simple-statistics';
import { binShare, binsPerBlock, fewerBlocks, nearEdge } from '../samples/blocks.js';
import { studentReach } from './trend.js';

export const resamples = 1000;
/** With fewer broadcasts, draws repeat each other. */
export const minBlocks = 10;
/** With more blocks, the interval of a p99 holds the truth less often: docs/decisions/statistics.md. */
const drawnAtMost = 256;

export type Draw = (below: number) => number;

/** Returns draws from a seed, the same on every machine. */
export function drawsOf(seed: number): Draw {
  const generator = xoroshiro128plus(seed);
  return (below) => uniformInt(generator, 0, below - 1);
}

/**
 * Returns percentiles of runs drawn from stretches of consecutive blocks, circular (Politis and Romano 1992). A stretch
 * has the square root of all blocks, so that effects on neighbours stay together. Undefined below `minBlocks`.
 */
export function resampledPercentiles(counts: Uint32Array, shares: readonly number[], draw: Draw) {
  const { firstBin, width, blocks } = blocksInUse(fewerBlocks(counts, drawnAtMost));
  if (blocks.length < minBlocks) return undefined;
  const stretch = Math.round(Math.sqrt(blocks.length));
  const sums = runningSums(blocks, stretch, width);
  const bins = shares.map(() => new Uint16Array(resamples));
  const begins: number[] = [];
  const ends: number[] = [];
  const countTo = (bin: number): number => {
    let count = 0;
    for (let at = 0; at < begins.length; at++) count += sums[ends[at]! + bin]! - sums[begins[at]! + bin]!;
    return count;
  };
  for (let i = 0; i < resamples; i++) {
    for (let at = 0, left = blocks.length; left > 0; at++, left -= stretch) {
      const from = draw(blocks.length);
      begins[at] = from * width;
      ends[at] = (from + Math.min(left, stretch)) * width;
    }
    const count = countTo(width - 1);
    shares.forEach((share, index) => {
      bins[index]![i] = firstBin + firstReaching(Math.max(1, Math.ceil(count * share)), width, countTo);
    });
  }
  // By share, `resamples` sorted bins, and the share of them beyond each end of a 95 % interval.
  return {
    bins: bins.map((each) => each.sort()),
    beyond: beyondFor(blocks.length / stretch),
    stretches: blocks.length / stretch,
  };
}

/** Returns the middle 95 % of drawn bins in microseconds, from near to far edge, with the percentile `figure`. */
export function intervalOf(bins: Uint16Array, beyond: number, figure: number): [low: number, high: number] {
  const binAt = (share: number): number => bins[Math.max(0, Math.ceil(bins.length * share) - 1)]!;
  return [Math.min(nearEdge(binAt(beyond)), figure), Math.max(nearEdge(binAt(1 - beyond) + 1), figure)];
}

/**
 * Returns the factor by which a percentile may be off either way at that level, from the spread of its drawn bins. A
 * thousand draws have no ends for a level far above 95 %, so it takes Student's t of the stretches.
 */
export function factorOf(bins: Uint16Array, stretches: number, level: number): number {
  const logs = Array.from(bins, (bin) => Math.log((nearEdge(bin) + nearEdge(bin + 1)) / 2));
  const spread = Math.hypot(standardDeviation(logs), Math.log1p(binShare) / Math.sqrt(12));
  return Math.exp(Math.sqrt(stretches / (stretches - 1)) * studentReach(level, stretches - 1) * spread);
}

/** Returns the share beyond each end, smaller for few stretches, to cover 95 % (Hesterberg 2015, 5.3). */
function beyondFor(stretches: number): number {
  const reach = Math.sqrt(stretches / (stretches - 1)) * studentReach(0.95, stretches - 1);
  return 1 - cumulativeStdNormalProbability(reach);
}

function blocksInUse(counts: Uint32Array): { firstBin: number; width: number; blocks: Uint32Array[] } {
  const total = new Uint32Array(binsPerBlock);
  const whole: Uint32Array[] = [];
  for (let at = 0; at < counts.length; at += binsPerBlock) {
    const block = counts.subarray(at, at + binsPerBlock);
    let samples = 0;
    for (let bin = 0; bin < binsPerBlock; bin++) {
      samples += block[bin]!;
      total[bin]! += block[bin]!;
    }
    if (samples > 0) whole.push(block);
  }
  const isUsed = (count: number): boolean => count > 0;
  const firstBin = Math.max(0, total.findIndex(isUsed));
  const width = total.findLastIndex(isUsed) + 1 - firstBin;
  return { firstBin, width, blocks: whole.map((block) => block.subarray(firstBin, firstBin + width)) };
}

/** Returns rows: of all blocks before it, the counts up to each bin. The first stretch follows the last block again. */
function runningSums(blocks: readonly Uint32Array[], stretch: number, width: number): Uint32Array {
  const rows = [...blocks, ...blocks.slice(0, stretch)];
  const sums = new Uint32Array((rows.length + 1) * width);
  rows.forEach((block, row) => {
    let upTo = 0;
    for (let bin = 0; bin < width; bin++) {
      const at = row * width + bin;
      upTo += block[bin]!;
      sums[at + width] = sums[at]! + upTo;
    }
  });
  return sums;
}

/** Returns the first of `width` bins up to which there are so many samples. */
function firstReaching(rank: number, width: number, countTo: (bin: number) => number): number {
  let [low, high] = [0, width - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (countTo(middle) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function drawAt(seed: number, subject: number, one: number, other: number): number {
  return uniformFloat64(xoroshiro128plus(mix(mix(mix(seed, subject), one), other)));
}

// Mixes all 32 bits first, because close seeds give close first numbers (the finalizer of MurmurHash3).
function mix(hash: number, value: number): number {
  let mixed = Math.imul(hash, 31) ^ Math.imul(value, 0x9e37_79b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}
