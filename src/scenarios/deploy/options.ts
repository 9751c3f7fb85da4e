import { z } from 'zod';
import { payloadBytes, subscribersOf } from '../broadcasts/options.js';
import { rampRatePerSecond } from '../ramp-rate.js';
import { endings, returnOptions } from '../returns/options.js';

/** Where the application that publishes lives: in the target's own process, or in front of the target in one of its own. */
export const places = ['embedded', 'standalone'] as const;
/** In what order several processes are redeployed. */
const rollouts = ['rolling', 'at-once'] as const;

/** What one deploy run is asked to do. */
export const deployOptions = z.strictObject({
  subscribers: subscribersOf(' when the application is redeployed'),
  application: z.enum(places).optional().meta({
    flag: 'application',
    help: 'where the application lives: in the target, which is restarted with it, or in a process of its own that publishes to the target and is restarted alone; by default as the target is made for',
  }),
  applicationProcesses: z.number().int().min(1).max(64).default(1).meta({
    flag: 'application-processes',
    unit: 'count',
    help: 'as how many processes a standalone application of ours runs; a publish that one of them refuses to take goes to the next',
  }),
  rollout: z.enum(rollouts).default('rolling').meta({
    flag: 'rollout',
    help: 'several processes are redeployed one after the other, or all at once',
  }),
  pauseMs: z.number().int().min(0).max(600_000).default(1000).meta({
    flag: 'pause',
    unit: 'duration',
    help: 'rolling: how long after a process serves again the next one is ended',
  }),
  downMs: z.number().int().min(0).max(600_000).default(0).meta({
    flag: 'down',
    unit: 'duration',
    help: 'how long a process of ours stays away before it is started again, as on a platform that swaps images',
  }),
  endedBy: z.enum(endings).default('term').meta({
    flag: 'by',
    help: 'how processes of ours are ended: asked by SIGTERM, or by SIGKILL without a word; what was brought has its own way',
  }),
  broadcasts: z.number().int().min(1).max(10_000_000).default(60).meta({
    flag: 'broadcasts',
    unit: 'count',
    help: 'measured broadcasts, dealt over the shards in turn; they must outlast the redeploy',
  }),
  ratePerSecond: z.number().positive().max(100_000).default(2).meta({
    flag: 'rate',
    unit: 'rate',
    help: 'broadcasts per second, all shards together, on an open schedule that no redeploy disturbs: no gap is seen finer than one interval',
  }),
  beforeMs: z.number().int().min(0).max(3_600_000).default(5000).meta({
    flag: 'before',
    unit: 'duration',
    help: 'how long after the first measured broadcast the redeploy is ordered',
  }),
  payloadBytes,
  rampRatePerSecond,
  warmUp: z.number().int().min(0).max(100_000).default(4).meta({
    flag: 'warm-up',
    unit: 'count',
    help: 'broadcasts at the head of the schedule that are never sampled',
  }),
  ...returnOptions,
  drainMs: z.number().int().min(0).max(600_000).default(5000).meta({
    flag: 'drain',
    unit: 'duration',
    help: 'how long clients are awaited after the last broadcast, and deliveries after that; what comes later is late, and lost',
  }),
});

export type DeployOptions = z.output<typeof deployOptions>;
