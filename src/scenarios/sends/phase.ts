import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { skipN } from 'pure-rand/utils/skipN';

/** The first numbers of seeds that differ little differ little, too; after so many nothing is left of it. */
const skipped = 64;

/** The share of its period, from 0 up to, not including, 1, after which a client of the whole run sends first: a function of seed and client alone. */
export function phaseOf(seed: number, client: number): number {
  const generator = xoroshiro128plus(seed ^ client);
  skipN(generator, skipped);
  return uniformFloat64(generator);
}
