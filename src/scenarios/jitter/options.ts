import { z } from 'zod';
import { payloadBytes, subscribersOf } from '../broadcasts/options.js';
import { rampRatePerSecond } from '../ramp-rate.js';

/** No offline window is shorter, whatever is asked for: below it a run compares the reconnect delays of client libraries, not the targets. */
export const MIN_OFFLINE_MS = 2000;

/** How the instants of a client's drops lie. */
export const spreads = ['exponential', 'fixed'] as const;
/** How a client loses its network; the `DropMode`s of the wire. */
const dropModes = ['reset', 'close', 'vanish'] as const;

/** What one jitter run is asked to do. */
export const jitterOptions = z.strictObject({
  subscribers: subscribersOf(),
  broadcasts: z.number().int().min(1).max(10_000_000).default(120).meta({
    flag: 'broadcasts',
    unit: 'count',
    help: 'measured broadcasts, dealt over the shards in turn',
  }),
  ratePerSecond: z.number().positive().max(100_000).default(2).meta({
    flag: 'rate',
    unit: 'rate',
    help: 'broadcasts per second, all shards together, on an open schedule that no drop disturbs',
  }),
  payloadBytes,
  rampRatePerSecond,
  warmUp: z.number().int().min(0).max(100_000).default(4).meta({
    flag: 'warm-up',
    unit: 'count',
    help: 'broadcasts at the head of the schedule, before the first drop, that are never sampled',
  }),
  everyMs: z.number().int().min(1000).max(86_400_000).default(15_000).meta({
    flag: 'every',
    unit: 'duration',
    help: 'mean time from one drop of a client to its next, of which the offline window and a second are the least',
  }),
  spread: z.enum(spreads).default('exponential').meta({
    flag: 'spread',
    help: 'when a client is dropped: at seeded random intervals, or at fixed ones from a seeded first',
  }),
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
      help: `how long a dropped client has no network, the same for all; never less than ${MIN_OFFLINE_MS / 1000}s`,
    }),
  dropMode: z.enum(dropModes).default('reset').meta({
    flag: 'drop',
    help: 'how the network is lost: TCP reset, WebSocket close, or a socket left half open and unread, of which the target learns nothing',
  }),
  drainMs: z.number().int().min(0).max(600_000).default(5000).meta({
    flag: 'drain',
    unit: 'duration',
    help: 'how long clients are awaited after the last offline window, and deliveries after that; what comes later is late, and lost',
  }),
});

export type JitterOptions = z.output<typeof jitterOptions>;
