import { draw } from '../draws.js';

/** The share of its period, from 0 to below 1, after which a client sends first, by seed and client alone. */
export function offsetOf(seed: number, client: number): number {
  return draw(seed, 'offset', client, 0);
}
