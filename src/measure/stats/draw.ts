import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A number from 0 up to, not including, 1 that these four whole numbers decide alone, in whatever order and at whatever time it is asked for. */
export function drawAt(seed: number, subject: number, one: number, other: number): number {
  return uniformFloat64(xoroshiro128plus(mix(mix(mix(seed, subject), one), other)));
}

// The generator's first numbers differ little where its seeds do, so neighbours are spread over all 32 bits first (the finalizer of MurmurHash3).
function mix(hash: number, value: number): number {
  let mixed = Math.imul(hash, 31) ^ Math.imul(value, 0x9e37_79b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}
