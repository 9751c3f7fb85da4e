import { z } from 'zod';
import { count, duration, optionalCount, rate } from '../options.js';

export const connectOptions = z.strictObject({
  connections: count('connections', 2000, [1, 10_000_000], 'connections to establish; each stays open until the end'),
  ratePerSecond: rate('rate', 500, 1e6, 'arrivals per second, all shards together, on an open schedule'),
  concurrency: optionalCount(
    'concurrency',
    [1, 100_000],
    'no schedule: keep this many handshakes per worker under way',
  ),
  stallMs: duration('stall', 15_000, [1000, 600_000], 'end the run when no connection opens for this long'),
});

export type ConnectOptions = z.output<typeof connectOptions>;
