import { draw } from '../draws.js';
import type { spreads } from './options.js';

export interface DropPlan {
  seed: number;
  everyMs: number;
  offlineMs: number;
  spread: (typeof spreads)[number];
  lengthMs: number;
}

/** How long a client is online at least, so that no drop finds it still away on a slow machine. */
export const leastOnlineMs = 1000;

/** A client's drops, in ascending ms of the schedule: `everyMs` apart on average, the offline window at least. */
export function dropInstants(client: number, plan: DropPlan): number[] {
  const { seed, everyMs, offlineMs, spread, lengthMs } = plan;
  const leastMs = offlineMs + leastOnlineMs;
  const freeMs = everyMs - leastMs;
  const gapOf = (share: number): number => leastMs - Math.log(1 - share) * freeMs;
  const firstMs = everyMs * draw(seed, 'drop', client, 0);
  // The first interval is drawn from the residual time.
  const isEarly = spread === 'fixed' || firstMs < leastMs;
  let atMs = isEarly ? firstMs : gapOf((firstMs - leastMs) / freeMs);
  const instants: number[] = [];
  for (let n = 1; atMs < lengthMs; n++) {
    instants.push(atMs);
    atMs += spread === 'fixed' ? everyMs : gapOf(draw(seed, 'drop', client, n));
  }
  return instants;
}
