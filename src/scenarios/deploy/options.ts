import { z } from 'zod';
import {
  broadcasts,
  choice,
  count,
  drainMs,
  duration,
  payloadBytes,
  rampRatePerSecond,
  rate,
  subscribers,
  warmUp,
} from '../options.js';
import { endedBy, returnOptions } from '../returns/options.js';

/** Where the application that publishes runs: in the target, or in front of it as a process of its own. */
export const places = ['embedded', 'standalone'] as const;

export const deployOptions = z.strictObject({
  subscribers,
  application: z.enum(places).optional().meta({
    flag: 'application',
    help: 'where the application runs; by default as the target is made for',
  }),
  applicationProcesses: count(
    'application-processes',
    1,
    [1, 64],
    'processes of a standalone application that Ringside starts',
  ),
  rollout: choice(
    'rollout',
    ['rolling', 'at-once'],
    'rolling',
    'redeploy processes one after the other, or all at once',
  ),
  pauseMs: duration('pause', 1000, [0, 600_000], 'rolling: pause between a process that serves and the next stop'),
  downMs: duration('down', 0, [0, 600_000], 'how long a stopped process stays away before it starts again'),
  endedBy,
  broadcasts: broadcasts(60),
  ratePerSecond: rate('rate', 2, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
  beforeMs: duration('before', 5000, [0, 3_600_000], 'time from the first measured broadcast to the redeploy'),
  payloadBytes,
  rampRatePerSecond,
  warmUp: warmUp(4),
  ...returnOptions,
  drainMs: drainMs(5000, 'longest wait for clients and late deliveries after the last broadcast'),
});

export type DeployOptions = z.output<typeof deployOptions>;
