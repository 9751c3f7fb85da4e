import { draw } from '../draws.js';

/** How all wire clients wait, whatever the target. */
export interface Backoff {
  seed: number;
  /** What every wait has beside what is drawn; nothing where it is left out. */
  leastMs?: number;
  backoffMs: number;
  backoffMaxMs: number;
}

/**
 * How long client `client` of the whole run waits before attempt `attempt` (from 0) to come back: the least, and full jitter, a draw from 0 up to, not
 * including, min(max, base * 2^attempt) (Brooker 2015, "Exponential Backoff And Jitter"). A function of the seed and these two alone.
 */
export function backoffDelayMs(backoff: Backoff, client: number, attempt: number): number {
  const { seed, leastMs = 0, backoffMs, backoffMaxMs } = backoff;
  return leastMs + draw(seed, 'retry', client, attempt) * Math.min(backoffMaxMs, backoffMs * 2 ** attempt);
}
