import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Typical latencies of a fan-out: log-normal, with a median of 7 ms and a p99 of 45 ms. */
const medianUs = 7000;
const sigma = 0.8;

/** `count` sorted latencies in microseconds, the same for the same seed. */
export function logNormalLatencies(count: number, seed: number): Uint32Array {
  const random = xoroshiro128plus(seed);
  return Uint32Array.from({ length: count }, () => {
    // Box and Muller: a normal deviate from two uniform ones. A logarithm of 0 would be infinite.
    const radius = Math.sqrt(-2 * Math.log(1 - uniformFloat64(random)));
    return medianUs * Math.exp(sigma * radius * Math.cos(2 * Math.PI * uniformFloat64(random)));
  }).sort();
}
