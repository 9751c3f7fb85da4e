import { z } from 'zod';
import { httpUrl, webSocketUrl } from '../units/addresses.js';
import { ourName, outside, outsideSentence, outsideSettings, outsideVersions } from './problems.js';

/** The header in which a driver names itself: a shard takes orders about a run from one driver at a time. */
export const driverHeader = 'ringside-driver';

/** The name of a driver, as shown to others that find a shard taken. It travels in a header, too. */
export const driverName = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'expected a name of printable ASCII characters');

/** A target as results describe it: no value in it is secret. */
export const describedTarget = z.strictObject({
  name: outside,
  protocol: outside,
  client: outside,
  wsUrl: outsideSentence,
  publishUrl: outsideSentence,
  isOurs: z.boolean(),
  versions: outsideVersions,
  settings: outsideSettings,
});

/** What a driver needs, beside the job, to judge and keep a run that another one began. It is posted with the job. */
export const runPlan = z.strictObject({
  startedAt: z.iso.datetime(),
  target: describedTarget.extend({
    wsUrl: outsideSentence.pipe(webSocketUrl),
    publishUrl: outsideSentence.pipe(httpUrl),
  }),
  /** Where the target tells of itself; addresses that hold a secret stay with the first driver. */
  sights: z.strictObject({ statsUrl: httpUrl.optional(), metricsUrl: httpUrl.optional() }),
  /** Whether the first driver alone can read more of the target: by process id, or with a secret. */
  hasOwnSights: z.boolean(),
  thresholds: z.array(outsideSentence),
  /** Where each value came from: flag, environment, file or default. */
  sources: z.record(ourName, outside),
  targetMemoryBytes: z.number().positive().optional(),
  targetProcesses: z.number().int().positive().optional(),
});

export type RunPlan = z.output<typeof runPlan>;
