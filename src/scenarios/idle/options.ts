import { z } from 'zod';
import { countOption, durationOption, optionalDuration, optionalRate } from '../options.js';
import { streamOptions } from '../streams.js';

export const idleOptions = z.strictObject({
  clients: countOption('clients', 10_000, [1, 100_000_000], 'clients to open and hold, all shards together'),
  rampRatePerSecond: optionalRate('ramp-rate', 1e6, 'clients opened per second; default: 500, or all in 90 s'),
  settleMs: durationOption('settle', 2000, [0, 3_600_000], 'quiet time between the ramp and the hold'),
  durationMs: durationOption('duration', 60_000, [0, 86_400_000], 'how long to hold the connections'),
  stallMs: durationOption('stall', 15_000, [1000, 600_000], 'end the ramp when no connection opens for this long'),
  ...streamOptions,
  maxPending: countOption('max-pending', 1000, [1, 1_000_000], 'connections that one worker opens at once'),
  probe: z
    .enum(['broadcast', 'ping'])
    .optional()
    .meta({ flag: 'probe', help: 'what proves a connection at the end; without --publish-url, ping' }),
  probeTimeoutMs: optionalDuration(
    'probe-timeout',
    [100, 600_000],
    'for the probe to reach all; default: 30 s or more',
  ),
});

export type IdleOptions = z.output<typeof idleOptions>;

/** Returns true if a ping frame to each connection proves it, in place of a broadcast. */
export function isPinged({ probe }: Pick<IdleOptions, 'probe'>): boolean {
  return probe === 'ping';
}

const leastRampPerSecond = 500;
const longestRampSeconds = 90;

/**
 * Returns the connections opened per second: as asked for, or so many that the ramp of a large run ends in a minute and
 * a half.
 */
export function rampRateOf({ rampRatePerSecond, clients }: IdleOptions): number {
  return rampRatePerSecond ?? Math.max(leastRampPerSecond, clients / longestRampSeconds);
}

const leastProbeMs = 30_000;
const probeMsEach = 0.1;

/** Returns the time limit of the probe, in milliseconds: as asked for, or longer the more connections it must reach. */
export function probeTimeoutMsOf({ probeTimeoutMs, clients }: IdleOptions): number {
  return probeTimeoutMs ?? Math.ceil(leastProbeMs + clients * probeMsEach);
}
