import { z } from 'zod';
import { jobRequest } from './job.js';
import { ourName, outside } from './problems.js';
import { jobStatus } from './shard.js';

/** Maximum size of a body of `POST /jobs/:id/left`. */
export const mostLeftBytes = 16 * 2 ** 20;

/** Holds the observations of a driver that leaves a run on its shards. Shards only keep it; readers must check it. */
export const leftBody = z.record(z.string(), z.unknown());

export type LeftBody = z.output<typeof leftBody>;

const order = jobRequest
  .pick({ options: true, slice: true, seed: true, plan: true })
  .extend({ scenario: ourName, load: z.looseObject({ leaseMs: z.number().min(0) }) });

/** Describes `GET /runs/:runId`, for a driver that did not begin the run. It does not renew the lease. */
export const runState = z.strictObject({
  order,
  status: jobStatus,
  /** Opened gates. True if the round behind a gate is skipped. */
  gates: z.record(ourName, z.boolean()),
  driver: z.strictObject({
    name: outside,
    silentMs: z.number().min(0),
    /** Set if another driver may take over: the driver left, or was silent for long enough. */
    isGone: z.boolean(),
  }),
  left: leftBody.nullable(),
});

export type RunState = z.output<typeof runState>;
