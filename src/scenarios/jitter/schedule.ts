import { draw } from '../draws.js';
import type { spreads } from './options.js';

/** Whose drops, and how they lie in time. */
export interface DropPlan {
  seed: number;
  everyMs: number;
  offlineMs: number;
  spread: (typeof spreads)[number];
  /** Drops fall before this. */
  lengthMs: number;
}

/** A client that comes back at once is online for as long before its next drop: none of its drops finds it still away, whatever the machine's pace. */
export const leastOnlineMs = 1000;

/**
 * When a client, by its number in the whole run, is dropped: milliseconds after the schedule's start, ascending. From one drop to the next it takes
 * `everyMs` on average, and never less than `least`: the offline window and `leastOnlineMs`. A smaller `everyMs` is refused before the run.
 *
 *     fixed        first somewhere in [0, every), then every `every`
 *     exponential  every least + Exp(every - least); the first as if that had gone on for ever (the residual time of a renewal process), so that
 *                  drops are as many in the first second as in any other
 */
export function dropInstants(client: number, plan: DropPlan): number[] {
  const { seed, everyMs, offlineMs, spread, lengthMs } = plan;
  const leastMs = offlineMs + leastOnlineMs;
  const freeMs = everyMs - leastMs;
  const gapOf = (share: number): number => leastMs - Math.log(1 - share) * freeMs;
  const firstMs = everyMs * draw(seed, 'drop', client, 0);
  const isEarly = spread === 'fixed' || firstMs < leastMs;
  let atMs = isEarly ? firstMs : gapOf((firstMs - leastMs) / freeMs);
  const instants: number[] = [];
  for (let n = 1; atMs < lengthMs; n++) {
    instants.push(atMs);
    atMs += spread === 'fixed' ? everyMs : gapOf(draw(seed, 'drop', client, n));
  }
  return instants;
}
