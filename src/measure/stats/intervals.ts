import { percentiles, type Summary } from '../samples/distribution.js';
import { drawsOf, intervalOf, resampledPercentiles } from './bootstrap.js';

/** The 95 % intervals of those percentiles that the count carries, drawn over blocks; the same for the same seed. */
export function intervalsOf(
  summary: Summary,
  blocks: Uint32Array | undefined,
  seed: number,
): Record<string, [number, number]> {
  const names = (Object.keys(percentiles) as (keyof typeof percentiles)[]).filter((name) => summary[name] !== null);
  const { count, unfinished = 0 } = summary;
  // Blocks hold what came: in them, a percentile of all stands at a higher share.
  const shares = names.map((name) => Math.min(1, (percentiles[name] * (count + unfinished)) / count));
  const drawn = blocks && resampledPercentiles(blocks, shares, drawsOf(seed));
  return Object.fromEntries(
    names.flatMap((name, index) => {
      const bins = drawn?.bins[index];
      return drawn && bins ? [[name, intervalOf(bins, drawn.beyond, summary[name] as number)]] : [];
    }),
  );
}
