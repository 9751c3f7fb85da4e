import { z } from 'zod';
import { rampRatePerSecond } from '../ramp-rate.js';

/** What one idle run is asked to do. */
export const idleOptions = z.strictObject({
  connections: z.number().int().min(1).max(100_000_000).default(10_000).meta({
    flag: 'connections',
    unit: 'count',
    help: 'connections to open and hold, all shards together',
  }),
  rampRatePerSecond,
  settleMs: z.number().int().min(0).max(3_600_000).default(2000).meta({
    flag: 'settle',
    unit: 'duration',
    help: 'quiet time between the ramp and the hold',
  }),
  holdMs: z.number().int().min(0).max(86_400_000).default(60_000).meta({
    flag: 'hold',
    unit: 'duration',
    help: 'how long the connections are held, their heartbeats answered',
  }),
  stallMs: z.number().int().min(1000).max(600_000).default(15_000).meta({
    flag: 'stall',
    unit: 'duration',
    help: 'the ramp ends when no connection came up for this long',
  }),
  maxPending: z.number().int().min(1).max(1_000_000).default(1000).meta({
    flag: 'max-pending',
    unit: 'count',
    help: 'connections of one worker that may be on their way at once',
  }),
  probeTimeoutMs: z.number().int().min(100).max(600_000).default(30_000).meta({
    flag: 'probe-timeout',
    unit: 'duration',
    help: 'time for the probe broadcast to reach every connection; one that it does not reach is not held',
  }),
});

export type IdleOptions = z.output<typeof idleOptions>;
