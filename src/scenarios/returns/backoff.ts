import { draw } from '../draws.js';

/** The one backoff of all wire clients, whatever the target. */
export interface Backoff {
  seed: number;
  backoffMs: number;
  backoffMaxMs: number;
}

/**
 * How long client `client` of the whole run waits before attempt `attempt` (from 0) to come back: full jitter, a draw from 0 up to, not including,
 * min(max, base * 2^attempt) (Brooker 2015, "Exponential Backoff And Jitter"). A function of the seed and these two alone.
 */
export function backoffDelayMs({ seed, backoffMs, backoffMaxMs }: Backoff, client: number, attempt: number): number {
  return draw(seed, 'retry', client, attempt) * Math.min(backoffMaxMs, backoffMs * 2 ** attempt);
}
