import { z } from 'zod';
import { httpUrl, webSocketUrl } from '../units/addresses.js';
import { describedModule } from './modules.js';
import { ourName, outside, outsideSentence, outsideSettings, outsideVersions } from './problems.js';

/** Header with a driver's name. A shard takes orders about a run from one driver at a time. */
export const driverHeader = 'ringside-driver';

/** Name of a driver, as shown to others that find a shard taken. It travels in a header, too. */
export const driverName = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'expected a name of printable ASCII characters');

/** Describes a target in results. No value in it is secret. */
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

/** Holds what another driver needs to judge and keep a run. It is posted with the job. */
export const runPlan = z.strictObject({
  startedAt: z.iso.datetime(),
  target: describedTarget.extend({
    wsUrl: outsideSentence.pipe(webSocketUrl),
    publishUrl: outsideSentence.pipe(httpUrl),
  }),
  /** Addresses where the target reports on itself. Addresses that hold a secret stay with the first driver. */
  sights: z.strictObject({ statsUrl: httpUrl.optional(), metricsUrl: httpUrl.optional() }),
  /** Set if only the first driver can read more of the target: by process id, or with a secret. */
  hasOwnSights: z.boolean(),
  thresholds: z.array(outsideSentence),
  modules: z.array(describedModule).default([]),
  /** Source of each value: flag, environment, file or default. */
  sources: z.record(ourName, outside),
  targetMemoryBytes: z.number().positive().optional(),
  targetProcesses: z.number().int().positive().optional(),
});

export type RunPlan = z.output<typeof runPlan>;
