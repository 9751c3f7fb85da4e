import { median } from 'simple-statistics';

/** How much more the last `window` readings have than the first, by their medians, as a share; of a shorter series its halves. Throws for fewer than two. */
export function growthOf(readings: readonly number[], window: number): number {
  const size = Math.min(window, Math.floor(readings.length / 2));
  if (size < 1) throw new Error(`growth needs two readings, there are ${readings.length}`);
  return median(readings.slice(-size)) / median(readings.slice(0, size)) - 1;
}
