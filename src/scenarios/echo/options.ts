import { z } from 'zod';
import { payloadBytesOf } from '../broadcasts/options.js';
import { rampRatePerSecond } from '../ramp-rate.js';

/** How a client comes to its next send. */
export const loops = ['open', 'closed'] as const;

/** What one echo run is asked to do. */
export const echoOptions = z.strictObject({
  clients: z.number().int().min(1).max(10_000_000).default(1000).meta({
    flag: 'clients',
    unit: 'count',
    help: 'clients that send, all shards together',
  }),
  loop: z.enum(loops).default('open').meta({
    flag: 'loop',
    help: 'open: each client sends on its own schedule, whatever is answered; closed: it sends when it has its echo, so that a slow target is asked less often',
  }),
  ratePerSecond: z.number().positive().max(1000).default(1).meta({
    flag: 'rate',
    unit: 'rate',
    help: 'sends per second of each client, from an offset of its own; of a closed loop only the first one is so scheduled',
  }),
  durationMs: z.number().int().min(1).max(3_600_000).default(10_000).meta({
    flag: 'duration',
    unit: 'duration',
    help: 'length of the schedule: each client sends rate × duration times; a closed loop sends until it is over',
  }),
  payloadBytes: payloadBytesOf('the data in each message'),
  rampRatePerSecond,
  drainMs: z.number().int().min(1).max(600_000).default(5000).meta({
    flag: 'drain',
    unit: 'duration',
    help: 'how long echoes are awaited after the last send, and each one in a closed loop; what comes later is late, and lost',
  }),
});

export type EchoOptions = z.output<typeof echoOptions>;
