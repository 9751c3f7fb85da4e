import { z } from 'zod';
import { publishWays } from '../../measure/declaration.js';
import { latencyOptions } from '../latency/options.js';
import { rampRatePerSecond } from '../ramp-rate.js';

const { subscribers, payloadBytes, warmUp } = latencyOptions.shape;

/** What one throughput run is asked to do. */
export const throughputOptions = z.strictObject({
  subscribers,
  ratePerSecond: z.number().positive().max(100_000).default(100).meta({
    flag: 'rate',
    unit: 'rate',
    help: 'broadcasts per second offered, all shards together, on an open schedule',
  }),
  durationMs: z.number().int().min(1).max(3_600_000).default(10_000).meta({
    flag: 'duration',
    unit: 'duration',
    help: 'length of the measured part of the schedule',
  }),
  broadcasts: z.number().int().min(1).max(10_000_000).optional().meta({
    flag: 'broadcasts',
    unit: 'count',
    help: 'measured broadcasts, dealt over the shards in turn, instead of a duration',
  }),
  publish: z.enum(publishWays).default('http').meta({
    flag: 'publish',
    help: 'how: by one HTTP request each, or by clients of no subscription that each publish loop opens and that say the protocol’s `broadcast`; those nobody answers, and they count as acked once written; or, as a diagnostic, by the target itself in its own process, which takes them in batches: deliveries are then counted, not timed',
  }),
  publishers: z.number().int().min(1).max(4096).default(4).meta({
    flag: 'publishers',
    unit: 'count',
    help: 'parallel publish loops of one shard, at most --max-in-flight; each has its share of that bound, and a slow answer holds back its own loop alone',
  }),
  payloadBytes,
  rampRatePerSecond,
  warmUp,
  drainMs: z.number().int().min(0).max(600_000).default(30_000).meta({
    flag: 'drain',
    unit: 'duration',
    help: 'how long the backlog may take to drain after the last publish was answered; what comes later is late, and lost',
  }),
});

export type ThroughputOptions = z.output<typeof throughputOptions>;

/** Whether the target publishes by itself: nobody can stamp its sends, and its deliveries are counted, never timed. */
export function isInProcess({ publish }: Pick<ThroughputOptions, 'publish'>): boolean {
  return publish === 'in-process';
}

/** Measured broadcasts of a run: as many as were named, or as the rate makes in the duration. */
export function broadcastsOf({ broadcasts, ratePerSecond, durationMs }: ThroughputOptions): number {
  return broadcasts ?? Math.max(1, Math.round((ratePerSecond * durationMs) / 1000));
}
