import { draw } from '../draws.js';

/** How all clients wait, of either kind and whatever the target. */
export interface Backoff {
  seed: number;
  backoffMs: number;
  backoffMaxMs: number;
}

/** How they do where nothing else is asked for. */
export const defaultBackoff = { backoffMs: 500, backoffMaxMs: 5000 } as const;

/** The wait before attempt `attempt` (from 0), with full jitter (Brooker 2015, "Exponential Backoff And Jitter"). */
export function backoffDelayMs(backoff: Backoff, client: number, attempt: number): number {
  const { seed, backoffMs, backoffMaxMs } = backoff;
  return draw(seed, 'retry', client, attempt) * Math.min(backoffMaxMs, backoffMs * 2 ** attempt);
}
