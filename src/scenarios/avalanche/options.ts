import { z } from 'zod';
import { count, duration, payloadBytes, rampRatePerSecond, rate, subscribers } from '../options.js';
import { endedBy, returnOptions } from '../returns/options.js';

export const avalancheOptions = z.strictObject({
  subscribers,
  ratePerSecond: rate('rate', 4, 100, 'broadcasts per second that prove which clients are back'),
  payloadBytes,
  rampRatePerSecond,
  calmBroadcasts: count('calm', 4, [1, 100_000], 'broadcasts before the restart that prove every client'),
  calmWithinMs: duration(
    'calm-within',
    5000,
    [0, 600_000],
    'longest wait for every client’s first delivery before the restart',
  ),
  endedBy,
  deadlineMs: duration(
    'deadline',
    60_000,
    [1000, 600_000],
    'longest wait for clients to come back after the restart order',
  ),
  ...returnOptions,
});

export type AvalancheOptions = z.output<typeof avalancheOptions>;
