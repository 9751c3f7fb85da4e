import { z } from 'zod';
import { outsideText } from '../units/outside-text.js';

const outside = z.string().overwrite((text) => outsideText(text));

interface MetricSpec {
  unit: 'bytes' | 'count' | 'percent' | 'ms' | 'perSecond';
  /** How values that several processes have at one instant make one. */
  together: 'sum' | 'max';
  means: string;
}

/** Everything that can be observed of a target and its machine. The one table. */
export const metricTable = {
  rssBytes: {
    unit: 'bytes',
    together: 'sum',
    means: 'resident memory; a page that several processes share counts in each',
  },
  pssBytes: {
    unit: 'bytes',
    together: 'sum',
    means: 'resident memory; a page that several processes share counts in parts',
  },
  serviceMemoryBytes: {
    unit: 'bytes',
    together: 'sum',
    means: 'memory of the whole service as its platform counts it, all replicas together',
  },
  runtimeMemoryBytes: {
    unit: 'bytes',
    together: 'sum',
    means: 'memory that the Go runtime has got from the system, what it gave back included: not resident memory',
  },
  memAvailableBytes: {
    unit: 'bytes',
    together: 'max',
    means: 'host: memory that programs can still get without swapping',
  },
  cpuPercent: { unit: 'percent', together: 'sum', means: 'CPU over the interval, 100 being one core' },
  busiestThreadPercent: {
    unit: 'percent',
    together: 'max',
    means: 'CPU over the interval of the thread that took most, 100 being one core',
  },
  coreBusyPercent: {
    unit: 'percent',
    together: 'max',
    means: 'host: share of the interval in which a core was busy, whoever used it',
  },
  threads: { unit: 'count', together: 'sum', means: 'threads' },
  goroutines: { unit: 'count', together: 'sum', means: 'goroutines' },
  descriptors: { unit: 'count', together: 'sum', means: 'open file descriptors' },
  descriptorLimit: {
    unit: 'count',
    together: 'max',
    means: 'most file descriptors a process may open; from /proc one point for each process',
  },
  voluntarySwitchesPerSecond: {
    unit: 'perSecond',
    together: 'sum',
    means: 'context switches of all threads because they waited',
  },
  involuntarySwitchesPerSecond: {
    unit: 'perSecond',
    together: 'sum',
    means: 'context switches of all threads because others wanted the core',
  },
  connections: { unit: 'count', together: 'sum', means: 'connections open now, as the target counts them' },
  eventLoopDelayP99Ms: {
    unit: 'ms',
    together: 'max',
    means: 'how much later than asked timers of the event loop ran, p99 over the interval',
  },
  eventLoopUtilization: {
    unit: 'percent',
    together: 'max',
    means: 'share of the interval in which the event loop was not idle',
  },
  acceptQueueOverflowsPerSecond: {
    unit: 'perSecond',
    together: 'max',
    means: 'host: connections dropped because the accept queue of any listening socket was full (ListenOverflows)',
  },
} as const satisfies Record<string, MetricSpec>;

export type MetricName = keyof typeof metricTable;

/** Every metric name, for schemas. */
export const metricNames = Object.keys(metricTable) as [MetricName, ...MetricName[]];

/** Where observations come from. */
export const sourceNames = ['proc', 'stats', 'prometheus', 'railway'] as const;

export type SourceName = (typeof sourceNames)[number];

const pointSchema = z.strictObject({ atMs: z.number().min(0), value: z.number() });

/** One observed value; `atMs` is since the observation's start on the monotonic clock. */
export type Point = z.output<typeof pointSchema>;

/**
 * One metric over time, from one source. Points rise in time and stop where the source stopped giving it: `endedBecause` says why then, and what
 * comes after belongs to a new series. A series without points is a metric that its source never gave.
 */
export const seriesSchema = z.strictObject({
  source: z.enum(sourceNames),
  name: z.enum(metricNames),
  unit: z.enum(['bytes', 'count', 'percent', 'ms', 'perSecond']),
  /** Which of several it is of: a pid, or a core. */
  process: outside.optional(),
  /** Stamped by another host's wall clock, laid on our axis by our own: good for a chart, never for a latency. */
  clock: z.literal('foreign').optional(),
  points: z.array(pointSchema),
  endedBecause: outside.optional(),
});

export type Series = z.output<typeof seriesSchema>;

/** What several values of one instant make together; undefined where there is none. */
export function together(name: MetricName, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return metricTable[name].together === 'max' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
}
