import { z } from 'zod';
import type { Slices } from '../books/marks/mark-times.js';
import { countOption, drainMs, durationOption, optionalRate } from '../options.js';

/** Clients that begin per second, if the user does not say. */
const usualArrivals = 50;

export const flowOptions = z.strictObject({
  clients: countOption('clients', 100, [1, 10_000_000], 'clients of the flow, all shards together'),
  arrivalsPerSecond: optionalRate(
    'arrivals',
    1e6,
    `clients that begin per second; by default ${usualArrivals} or more`,
  ),
  durationMs: durationOption('duration', 30_000, [1, 86_400_000], 'time from the first arrival to the end of the load'),
  drainMs: drainMs(5000, 'longest wait for what is under way; later deliveries count as lost'),
  mostSends: countOption(
    'most-sends',
    1_048_576,
    [1024, 16_777_216],
    'declared sends of one shard, for the size of its table',
  ),
});

export type FlowOptions = z.output<typeof flowOptions>;

/** Share of the duration in which all clients begin, if the user names no rate. */
const arrivingShare = 0.5;

/** Returns the clients that begin per second: as asked, or at the usual rate if all then begin in half of the time. */
export function arrivalsOf({ arrivalsPerSecond, clients, durationMs }: FlowOptions): number {
  return arrivalsPerSecond ?? Math.max(usualArrivals, (clients * 1000) / (durationMs * arrivingShare));
}

const sliceMs = 1000;

/** Returns the slices of the load for figures over time. */
export function slicesOf({ durationMs }: Pick<FlowOptions, 'durationMs'>): Slices {
  return { count: Math.max(1, Math.ceil(durationMs / sliceMs)), everyNs: sliceMs * 1e6 };
}
