import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { probit } from 'simple-statistics';

/** Typical latencies of a fan-out: log-normal, with a median of 7 ms and a p99 of 45 ms. */
const medianUs = 7000;
const sigma = 0.8;

/** `count` sorted latencies in microseconds, the same for the same seed. */
export function logNormalLatencies(count: number, seed: number): Uint32Array {
  const random = xoroshiro128plus(seed);
  const draw = (): number => medianUs * Math.exp(sigma * probit(uniformFloat64(random)));
  return Uint32Array.from({ length: count }, draw).sort();
}
