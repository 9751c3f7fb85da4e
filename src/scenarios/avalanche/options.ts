import { z } from 'zod';
import { payloadBytes, subscribersOf } from '../broadcasts/options.js';
import { rampRatePerSecond } from '../ramp-rate.js';
import { endings, returnOptions } from '../returns/options.js';

/** What one avalanche run is asked to do. */
export const avalancheOptions = z.strictObject({
  subscribers: subscribersOf(' when the target is restarted'),
  ratePerSecond: z.number().positive().max(100).default(4).meta({
    flag: 'rate',
    unit: 'rate',
    help: 'broadcasts per second, all shards together, that prove who is back: a client can seem late by up to one interval',
  }),
  payloadBytes,
  rampRatePerSecond,
  calmBroadcasts: z.number().int().min(1).max(100_000).default(4).meta({
    flag: 'calm',
    unit: 'count',
    help: 'broadcasts before the restart, which prove every client',
  }),
  calmWithinMs: z.number().int().min(0).max(600_000).default(5000).meta({
    flag: 'calm-within',
    unit: 'duration',
    help: 'how long, after the last of them, clients without a delivery are awaited before the restart',
  }),
  endedBy: z.enum(endings).default('term').meta({
    flag: 'by',
    help: 'how a target of ours is ended: asked by SIGTERM, or by SIGKILL without a word; one at --target-url has its own way',
  }),
  deadlineMs: z.number().int().min(1000).max(600_000).default(60_000).meta({
    flag: 'deadline',
    unit: 'duration',
    help: 'how long after the order to restart clients are awaited; who is not back by then counts as later than that',
  }),
  ...returnOptions,
});

export type AvalancheOptions = z.output<typeof avalancheOptions>;
