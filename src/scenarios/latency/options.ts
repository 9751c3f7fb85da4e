import { z } from 'zod';
import { payloadBytes, subscribersOf } from '../broadcasts/options.js';
import { rampRatePerSecond } from '../ramp-rate.js';

/** What one latency run is asked to do. */
export const latencyOptions = z.strictObject({
  subscribers: subscribersOf(),
  broadcasts: z.number().int().min(1).max(10_000_000).default(100).meta({
    flag: 'broadcasts',
    unit: 'count',
    help: 'measured broadcasts, dealt over the shards in turn',
  }),
  ratePerSecond: z.number().positive().max(100_000).default(10).meta({
    flag: 'rate',
    unit: 'rate',
    help: 'broadcasts per second, all shards together, on an open schedule',
  }),
  payloadBytes,
  rampRatePerSecond,
  warmUp: z.number().int().min(0).max(100_000).default(10).meta({
    flag: 'warm-up',
    unit: 'count',
    help: 'broadcasts at the head of the schedule that are sent and received but never sampled',
  }),
  drainMs: z.number().int().min(0).max(600_000).default(5000).meta({
    flag: 'drain',
    unit: 'duration',
    help: 'how long deliveries are awaited after the last publish was answered; what comes later is late, and lost',
  }),
});

export type LatencyOptions = z.output<typeof latencyOptions>;
