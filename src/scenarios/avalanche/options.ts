import { z } from 'zod';
import { clientsOption, countOption, durationOption, payloadBytes, rampRatePerSecond, rateOption } from '../options.js';
import { endedBy, returnOptions } from '../roster/return-options.js';

export const avalancheOptions = z.strictObject({
  clients: clientsOption,
  ratePerSecond: rateOption('rate', 4, 100, 'broadcasts per second that prove which clients are back'),
  payloadBytes,
  rampRatePerSecond,
  calmBroadcasts: countOption('calm', 4, [1, 100_000], 'broadcasts before the restart that prove every client'),
  calmWithinMs: durationOption(
    'calm-within',
    5000,
    [0, 600_000],
    'longest wait for every client’s first delivery before the restart',
  ),
  endedBy,
  deadlineMs: durationOption(
    'deadline',
    60_000,
    [1000, 600_000],
    'longest wait for clients to come back after the restart order',
  ),
  ...returnOptions,
});

export type AvalancheOptions = z.output<typeof avalancheOptions>;
