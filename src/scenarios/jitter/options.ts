import { z } from 'zod';
import {
  broadcasts,
  choiceOption,
  clientsOption,
  drainMs,
  durationOption,
  payloadBytes,
  rampRatePerSecond,
  rateOption,
  warmUp,
} from '../options.js';
import { spreads } from '../roster/drops.js';
import { streamDistribution, streamOptions } from '../streams.js';

/**
 * Shortest offline window. With a shorter one a run compares the reconnect delays of client libraries, not the targets.
 */
export const MIN_OFFLINE_MS = 2000;

export const jitterOptions = z.strictObject({
  clients: clientsOption,
  broadcasts: broadcasts(120),
  ratePerSecond: rateOption('rate', 2, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
  payloadBytes,
  rampRatePerSecond,
  ...streamOptions,
  streamDistribution,
  warmUp: warmUp(4),
  everyMs: durationOption(
    'every',
    15_000,
    [1000, 86_400_000],
    'mean time between a client’s drops, at least --offline + 1s',
  ),
  spread: choiceOption('spread', spreads, 'exponential', 'drop at seeded random intervals, or at fixed ones'),
  offlineMs: z
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .overwrite((asked) => Math.max(asked, MIN_OFFLINE_MS))
    .default(MIN_OFFLINE_MS)
    .meta({
      flag: 'offline',
      unit: 'duration',
      help: `how long a dropped client has no network, at least ${MIN_OFFLINE_MS / 1000}s`,
    }),
  dropMode: choiceOption(
    'drop',
    ['reset', 'close', 'vanish'],
    'reset',
    'TCP reset, WebSocket close, or a socket left half open',
  ),
  drainMs: drainMs(5000, 'longest wait for clients and late deliveries after the last broadcast'),
});

export type JitterOptions = z.output<typeof jitterOptions>;
