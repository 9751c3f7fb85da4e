import { draw } from '../draws.js';

/** How all clients wait, of either kind and whatever the target. */
export interface Backoff {
  seed: number;
  backoffMs: number;
  backoffMaxMs: number;
}

/** How they do where nothing else is asked for. */
export const defaultBackoff = { backoffMs: 500, backoffMaxMs: 5000 } as const;

/**
 * How long client `client` of the whole run waits before attempt `attempt` (from 0) to come back: full jitter, a draw
 * from 0 up to, not including, min(max, base * 2^attempt) (Brooker 2015, "Exponential Backoff And Jitter"). A function
 * of the seed and these two alone.
 */
export function backoffDelayMs(backoff: Backoff, client: number, attempt: number): number {
  const { seed, backoffMs, backoffMaxMs } = backoff;
  return draw(seed, 'retry', client, attempt) * Math.min(backoffMaxMs, backoffMs * 2 ** attempt);
}
