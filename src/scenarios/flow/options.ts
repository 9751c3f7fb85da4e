import { z } from 'zod';
import { countOption, drainMs, durationOption, optionalRate } from '../options.js';

export const flowOptions = z.strictObject({
  clients: countOption('clients', 100, [1, 10_000_000], 'clients of the flow, all shards together'),
  arrivalsPerSecond: optionalRate('arrivals', 1e6, 'clients that begin per second; by default 50'),
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
