import { z } from 'zod';
import { jobRequest } from './job.js';
import { ourName, outside } from './problems.js';
import { jobStatus } from './shard.js';

/** The longest body of `POST /jobs/:id/left`. */
export const mostLeftBytes = 16 * 2 ** 20;

/** What a driver saw of a run that it leaves on its shards. Shards only keep it: who reads it checks it. */
export const leftBody = z.record(z.string(), z.unknown());

export type LeftBody = z.output<typeof leftBody>;

/** The part of a job that any driver of the run may know: neither headers nor tokens. */
const order = jobRequest
  .pick({ options: true, slice: true, seed: true, plan: true })
  .extend({ scenario: ourName, load: z.looseObject({ leaseMs: z.number().min(0) }) });

/** `GET /runs/:runId`: the run's part on this shard, for a driver that did not begin it. Does not renew the lease. */
export const runState = z.strictObject({
  order,
  status: jobStatus,
  /** Opened gates, and whether the round behind each is skipped. */
  gates: z.record(ourName, z.boolean()),
  driver: z.strictObject({
    name: outside,
    silentMs: z.number().min(0),
    /** Whether another one may take over: it left, or was silent for long enough. */
    isGone: z.boolean(),
  }),
  left: leftBody.nullable(),
});

export type RunState = z.output<typeof runState>;
