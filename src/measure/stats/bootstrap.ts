import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { binAtRank, binsPerBlock, nearEdge } from '../samples/blocks.js';

/** Draws of a run; the ends of a 95 % interval stand on 25 each. */
export const resamples = 1000;
/** With fewer broadcasts, draws repeat each other. */
export const minBlocks = 10;

/** A random whole number from 0 to `below` - 1. */
export type Draw = (below: number) => number;

/** Draws from a seed, the same on every machine. */
export function drawsOf(seed: number): Draw {
  const generator = xoroshiro128plus(seed);
  return (below) => uniformInt(generator, 0, below - 1);
}

/** Sorted bins by share of `resamples` drawn runs (Efron and Tibshirani 1993, 13.3); undefined below `minBlocks`. */
export function resampledPercentiles(
  counts: Uint32Array,
  shares: readonly number[],
  draw: Draw,
): Uint16Array[] | undefined {
  const { firstBin, width, blocks } = blocksInUse(counts);
  if (blocks.length < minBlocks) return undefined;
  const drawn = shares.map(() => new Uint16Array(resamples));
  const sum = new Uint32Array(width);
  for (let i = 0; i < resamples; i++) {
    sum.fill(0);
    for (let n = 0; n < blocks.length; n++) add(blocks[draw(blocks.length)] as Uint32Array, sum);
    const count = sum.reduce((total, each) => total + each, 0);
    shares.forEach((share, index) => {
      (drawn[index] as Uint16Array)[i] = firstBin + binAtRank(sum, Math.max(1, Math.ceil(count * share)));
    });
  }
  return drawn.map((bins) => bins.sort());
}

/** The middle 95 % of drawn bins, in microseconds, from near to far edge; always includes the percentile `figure`. */
export function intervalOf(bins: Uint16Array, figure: number): [low: number, high: number] {
  const binAt = (share: number): number => bins[Math.ceil(bins.length * share) - 1] as number;
  return [Math.min(nearEdge(binAt(0.025)), figure), Math.max(nearEdge(binAt(0.975) + 1), figure)];
}

/** The blocks with samples, cut to the bins in use. */
function blocksInUse(counts: Uint32Array): { firstBin: number; width: number; blocks: Uint32Array[] } {
  const total = new Uint32Array(binsPerBlock);
  const whole: Uint32Array[] = [];
  for (let at = 0; at < counts.length; at += binsPerBlock) {
    const block = counts.subarray(at, at + binsPerBlock);
    if (block.every((count) => count === 0)) continue;
    add(block, total);
    whole.push(block);
  }
  const isUsed = (count: number): boolean => count > 0;
  const firstBin = Math.max(0, total.findIndex(isUsed));
  const width = total.findLastIndex(isUsed) + 1 - firstBin;
  return { firstBin, width, blocks: whole.map((block) => block.subarray(firstBin, firstBin + width)) };
}

function add(block: Uint32Array, sum: Uint32Array): void {
  for (let bin = 0; bin < block.length; bin++) sum[bin] = (sum[bin] as number) + (block[bin] as number);
}
