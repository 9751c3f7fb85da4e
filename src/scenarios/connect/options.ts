import { z } from 'zod';
import { countOption, durationOption, optionalCount, rateOption } from '../options.js';

export const connectOptions = z.strictObject({
  clients: countOption('clients', 2000, [1, 10_000_000], 'clients to connect; each stays open until the end'),
  ratePerSecond: rateOption('rate', 500, 1e6, 'arrivals per second, all shards together, on an open schedule'),
  concurrency: optionalCount(
    'concurrency',
    [1, 100_000],
    'no schedule: keep this many handshakes per worker under way',
  ),
  stallMs: durationOption('stall', 15_000, [1000, 600_000], 'end the run when no connection opens for this long'),
});

export type ConnectOptions = z.output<typeof connectOptions>;
