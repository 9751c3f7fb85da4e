import { draw } from '../draws.js';

/** The share of its period, from 0 up to, not including, 1, after which a client of the whole run sends first: a function of seed and client alone. */
export function offsetOf(seed: number, client: number): number {
  return draw(seed, 'offset', client, 0);
}
