import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A number in [0, 1) that depends only on these four integers. */
export function drawAt(seed: number, subject: number, one: number, other: number): number {
  return uniformFloat64(xoroshiro128plus(mix(mix(mix(seed, subject), one), other)));
}

// Close seeds give close first numbers, so all 32 bits are mixed first (the finalizer of MurmurHash3).
function mix(hash: number, value: number): number {
  let mixed = Math.imul(hash, 31) ^ Math.imul(value, 0x9e37_79b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}
