import { z } from 'zod';
import {
  broadcasts,
  choiceOption,
  clientsOption,
  countOption,
  drainMs,
  durationOption,
  payloadBytes,
  rampRatePerSecond,
  rateOption,
  warmUp,
} from '../options.js';
import { endedBy, returnOptions } from '../roster/return-options.js';

/** Places where the publishing application runs: in the target, or in front of it as a process of its own. */
export const places = ['embedded', 'standalone'] as const;

export const deployOptions = z.strictObject({
  clients: clientsOption,
  application: z.enum(places).optional().meta({
    flag: 'application',
    help: 'where the application runs; by default as the target is made for',
  }),
  applicationProcesses: countOption(
    'application-processes',
    1,
    [1, 64],
    'processes of a standalone application that Ringside starts',
  ),
  rollout: choiceOption(
    'rollout',
    ['rolling', 'at-once'],
    'rolling',
    'redeploy processes one after the other, or all at once',
  ),
  pauseMs: durationOption(
    'pause',
    1000,
    [0, 600_000],
    'rolling: pause between a process that serves and the next stop',
  ),
  downMs: durationOption('down', 0, [0, 600_000], 'how long a stopped process stays away before it starts again'),
  endedBy,
  broadcasts: broadcasts(60),
  ratePerSecond: rateOption('rate', 2, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
  beforeMs: durationOption('before', 5000, [0, 3_600_000], 'time from the first measured broadcast to the redeploy'),
  payloadBytes,
  rampRatePerSecond,
  warmUp: warmUp(4),
  ...returnOptions,
  drainMs: drainMs(5000, 'longest wait for clients and late deliveries after the last broadcast'),
});

export type DeployOptions = z.output<typeof deployOptions>;
