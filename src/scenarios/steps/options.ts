import { z } from 'zod';
import { rampRatePerSecond } from '../ramp-rate.js';
import { limitForm, parseLimit } from './limit.js';

/** What the clients say. */
const modes = ['broadcast', 'echo'] as const;

/** What one run in steps is asked to do. */
export const stepsOptions = z.strictObject({
  mode: z.enum(modes).default('broadcast').meta({
    flag: 'mode',
    help: 'broadcast: each operation goes to every client, and its sender is told when it is out; echo: it comes back to its sender alone',
  }),
  step: z.number().int().min(1).max(1_000_000).default(1000).meta({
    flag: 'step',
    unit: 'count',
    help: 'clients that each step adds to those before, all shards together',
  }),
  steps: z.number().int().min(1).max(1000).default(10).meta({
    flag: 'steps',
    unit: 'count',
    help: 'steps at most: the last has step × steps clients',
  }),
  concurrent: z.number().int().min(1).max(10_000).default(4).meta({
    flag: 'concurrent',
    unit: 'count',
    help: 'operations that await their answer at once, all shards together: a closed loop in which the next is sent when one is answered',
  }),
  sample: z.number().int().min(1).max(1_000_000).default(100).meta({
    flag: 'sample',
    unit: 'count',
    help: 'operations of each step, all shards together; a p95 needs 100',
  }),
  paddingBytes: z.number().int().min(0).max(1_000_000).default(200).meta({
    flag: 'padding',
    unit: 'bytes',
    help: 'padding in the payload of each operation, beside the 38 bytes by which it is told apart',
  }),
  limit: z
    .string()
    .refine((text) => parseLimit(text) !== undefined, { error: `expected ${limitForm}` })
    .optional()
    .meta({
      flag: 'limit',
      placeholder: 'promise',
      help: `no further step after one whose round trips break it: ${limitForm}; one that is not answered takes longer than any`,
    }),
  rampRatePerSecond,
  drainMs: z.number().int().min(1).max(600_000).default(5000).meta({
    flag: 'drain',
    unit: 'duration',
    help: 'how long an answer is awaited before the next operation, and the deliveries of a step after its last one; what comes later is late, and lost',
  }),
});

export type StepsOptions = z.output<typeof stepsOptions>;
