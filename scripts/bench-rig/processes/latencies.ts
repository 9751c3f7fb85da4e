/** A fan-out's latencies as they are often seen: log-normal, with a median of 7 ms and a p99 of 45 ms. */
const medianUs = 7000;
const sigma = 0.8;

/** `count` sorted latencies in microseconds, the same for the same seed. */
export function logNormalLatencies(count: number, seed: number): Uint32Array {
  const random = generator(seed);
  const values = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    // Box and Muller: a normal deviate out of two uniform ones.
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    values[i] = medianUs * Math.exp(sigma * normal);
  }
  return values.sort();
}

/** Uniform numbers above 0 and up to 1 (xorshift, 32 bits; a state of 0 would stay there). */
function generator(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e37_79b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 1) / 2 ** 32;
  };
}
