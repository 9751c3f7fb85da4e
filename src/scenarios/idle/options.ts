import { z } from 'zod';
import { count, duration, rampRatePerSecond } from '../options.js';

export const idleOptions = z.strictObject({
  connections: count('connections', 10_000, [1, 100_000_000], 'connections to open and hold, all shards together'),
  rampRatePerSecond,
  settleMs: duration('settle', 2000, [0, 3_600_000], 'quiet time between the ramp and the hold'),
  holdMs: duration('hold', 60_000, [0, 86_400_000], 'how long to hold the connections'),
  stallMs: duration('stall', 15_000, [1000, 600_000], 'end the ramp when no connection opens for this long'),
  maxPending: count('max-pending', 1000, [1, 1_000_000], 'connections that one worker opens at once'),
  probeTimeoutMs: duration(
    'probe-timeout',
    30_000,
    [100, 600_000],
    'time for the probe broadcast to reach every connection',
  ),
});

export type IdleOptions = z.output<typeof idleOptions>;
