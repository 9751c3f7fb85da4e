import { median } from 'simple-statistics';
import { binsPerBlock, nearEdge } from '../samples/blocks.js';

/** Points that a slope needs: of fewer it is the accident of one of them. */
export const minPoints = 8;

/** The median of each block that holds samples, with the block's place in the schedule from 0 to 1; times in microseconds, to the width of a bin. */
export function blockMedians(counts: Uint32Array): [place: number, us: number][] {
  const blocks = Math.floor(counts.length / binsPerBlock);
  return Array.from({ length: blocks }, (_, index) => index).flatMap((index): [number, number][] => {
    const block = counts.subarray(index * binsPerBlock, (index + 1) * binsPerBlock);
    const rank = Math.ceil(block.reduce((sum, each) => sum + each, 0) / 2);
    if (rank === 0) return [];
    let bin = 0;
    for (let seen = block[0] as number; seen < rank; ) seen += block[++bin] as number;
    return [[(index + 0.5) / blocks, (nearEdge(bin) + nearEdge(bin + 1)) / 2]];
  });
}

/**
 * The median of the slopes between every two points (Theil 1950, Sen 1968): a stall that spoils up to a quarter of the points does not turn it, as it
 * would a least-squares line. Undefined for fewer than eight points.
 */
export function robustSlope(points: readonly (readonly [x: number, y: number])[]): number | undefined {
  if (points.length < minPoints) return undefined;
  const slopes: number[] = [];
  points.forEach(([x, y], at) => {
    for (const [otherX, otherY] of points.slice(at + 1)) if (otherX !== x) slopes.push((otherY - y) / (otherX - x));
  });
  return slopes.length > 0 ? median(slopes) : undefined;
}
