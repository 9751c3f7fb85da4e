import { binsPerBlock } from '../samples/blocks.js';
import { percentiles } from '../samples/distribution.js';
import { drawsOf, factorOf, resampledPercentiles } from './bootstrap.js';

/** Looks at a run that ends once a figure is known well enough. Their number is fixed before the run. */
export const checks = 7;

/** Each check lies so many times later than the one before; the last is at the planned end. */
const growth = 1.5;

/**
 * Level of the interval of one check. A run that may stop at any of its checks is wrong if one of them is, so each gets
 * its part of the 5 % (Bonferroni).
 */
export const levelOfChecks = 1 - 0.05 / checks;

/** Returns after which share of the run each check is. */
export function checkShares(): number[] {
  return Array.from({ length: checks }, (_, index) => growth ** (index + 1 - checks));
}

/** The figure of a run that is to be known to within a share of itself. */
export interface Aim {
  text: string;
  metric: string;
  figure: keyof typeof percentiles;
  within: number;
}

/** Reads `delivery.p99 ±10%`. Undefined for other text. */
export function aimOf(text: string): Aim | undefined {
  const [, metric = '', word, percent] =
    /^([\w:]+)\.(p\d+(?:\.\d)?)\s*(?:±|\+-|\+\/-)\s*(\d+(?:\.\d+)?)\s*%$/.exec(text.trim()) ?? [];
  const figure = (Object.keys(percentiles) as (keyof typeof percentiles)[]).find((each) => each === word);
  const within = Number(percent) / 100;
  return figure && within > 0 && within < 1 ? { text: text.trim(), metric, figure, within } : undefined;
}

/** Returns how far a figure may be off at one check at its blocks, as a share of it. Undefined with too few blocks. */
export function reachOf(blocks: readonly Uint32Array[], figure: Aim['figure'], seed: number): number | undefined {
  const counts = new Uint32Array(blocks.length * binsPerBlock);
  for (const [index, block] of blocks.entries()) counts.set(block, index * binsPerBlock);
  const drawn = resampledPercentiles(counts, [percentiles[figure]], drawsOf(seed));
  const bins = drawn?.bins[0];
  return drawn && bins && factorOf(bins, drawn.stretches, levelOfChecks) - 1;
}

/** Returns the level of the intervals of a metric in a run that ends by this text. Undefined for 95 %. */
export function levelOf(metric: string, until: string | undefined): number | undefined {
  return until !== undefined && aimOf(until)?.metric === metric ? levelOfChecks : undefined;
}
