import { z } from 'zod';
import { outside, outsideSentence, outsideSettings, outsideVersions } from './outside.js';

/** The header in which a driver names itself: a shard takes orders about a run from one driver at a time. */
export const driverHeader = 'ringside-driver';

/** The name of a driver, as shown to others that find a shard taken. */
export const driverName = z.string().min(1).max(100);

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
  target: describedTarget,
  /** Where the target tells of itself. */
  sights: z.strictObject({ statsUrl: z.string().optional(), metricsUrl: z.string().optional() }),
  thresholds: z.array(z.string()),
  /** Where each value came from: flag, environment, file or default. */
  sources: z.record(z.string(), z.string()),
  targetMemoryBytes: z.number().optional(),
  targetProcesses: z.number().int().optional(),
});

export type RunPlan = z.output<typeof runPlan>;
