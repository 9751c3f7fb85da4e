import { z } from 'zod';

/** What one connect run is asked to do. */
export const connectOptions = z.strictObject({
  connections: z.number().int().min(1).max(10_000_000).default(2000).meta({
    flag: 'connections',
    unit: 'count',
    help: 'connections to establish, all shards together; each stays open until the end',
  }),
  ratePerSecond: z.number().positive().max(1e6).default(500).meta({
    flag: 'rate',
    unit: 'rate',
    help: 'arrivals per second, all shards together, on an open schedule',
  }),
  concurrency: z.number().int().min(1).max(100_000).optional().meta({
    flag: 'concurrency',
    unit: 'count',
    help: 'instead of the schedule: as fast as this many handshakes of one worker at once allow',
  }),
  stallMs: z.number().int().min(1000).max(600_000).default(15_000).meta({
    flag: 'stall',
    unit: 'duration',
    help: 'the run ends when no connection came up for this long',
  }),
});

export type ConnectOptions = z.output<typeof connectOptions>;
