import { z } from 'zod';
import { outsideText } from '../units/outside-text.js';

const outside = z.string().overwrite((text) => outsideText(text));

interface MetricSpec {
  unit: 'bytes' | 'count' | 'percent' | 'ms' | 'perSecond';
  /** How the values of several processes become one. */
  together: 'sum' | 'max';
  means: string;
}

/** Everything that can be observed of a target and its machine. The one table. */
export const metricTable = {
  rssBytes: { unit: 'bytes', together: 'sum', means: 'resident memory; shared pages count in each process' },
  pssBytes: { unit: 'bytes', together: 'sum', means: 'resident memory; shared pages count in parts' },
  serviceMemoryBytes: { unit: 'bytes', together: 'sum', means: 'memory of all replicas, as the platform counts it' },
  runtimeMemoryBytes: {
    unit: 'bytes',
    together: 'sum',
    means: 'memory that the Go runtime got from the system, not what is resident',
  },
  memAvailableBytes: { unit: 'bytes', together: 'max', means: 'host: memory available without swapping' },
  cpuPercent: { unit: 'percent', together: 'sum', means: 'CPU over the interval; 100 is one core' },
  busiestThreadPercent: {
    unit: 'percent',
    together: 'max',
    means: 'CPU of the busiest thread over the interval; 100 is one core',
  },
  coreWaitPercent: {
    unit: 'percent',
    together: 'sum',
    means: 'threads that were ready to run and had no core over the interval; 100 is one thread',
  },
  coreBusyPercent: {
    unit: 'percent',
    together: 'max',
    means: 'host: how busy a core was over the interval, stolen time left out',
  },
  stolenPercent: {
    unit: 'percent',
    together: 'max',
    means: 'host: time of all cores that the hypervisor took over the interval',
  },
  threads: { unit: 'count', together: 'sum', means: 'threads' },
  goroutines: { unit: 'count', together: 'sum', means: 'goroutines' },
  descriptors: { unit: 'count', together: 'sum', means: 'open file descriptors' },
  descriptorLimit: { unit: 'count', together: 'max', means: 'most file descriptors a process may open' },
  voluntarySwitchesPerSecond: { unit: 'perSecond', together: 'sum', means: 'context switches of threads that waited' },
  involuntarySwitchesPerSecond: {
    unit: 'perSecond',
    together: 'sum',
    means: 'context switches of threads that lost their core',
  },
  connections: { unit: 'count', together: 'sum', means: 'open connections, as the target counts them' },
  eventLoopDelayP99Ms: { unit: 'ms', together: 'max', means: 'delay of event-loop timers, p99 over the interval' },
  eventLoopUtilization: {
    unit: 'percent',
    together: 'max',
    means: 'share of the interval in which the event loop was busy',
  },
  acceptQueueOverflowsPerSecond: {
    unit: 'perSecond',
    together: 'max',
    means: 'host: connections dropped because an accept queue was full',
  },
} as const satisfies Record<string, MetricSpec>;

export type MetricName = keyof typeof metricTable;

export const metricNames = Object.keys(metricTable) as [MetricName, ...MetricName[]];

export const sourceNames = ['proc', 'stats', 'prometheus', 'railway'] as const;

export type SourceName = (typeof sourceNames)[number];

const pointSchema = z.strictObject({ atMs: z.number().min(0), value: z.number() });

/** One observed value; `atMs` is since the observation's start on the monotonic clock. */
export type Point = z.output<typeof pointSchema>;

/** One metric from one source. `endedBecause` says why it stopped; without points, its source never gave it. */
export const seriesSchema = z.strictObject({
  source: z.enum(sourceNames),
  name: z.enum(metricNames),
  unit: z.enum(['bytes', 'count', 'percent', 'ms', 'perSecond']),
  /** A pid, or a core. */
  process: outside.optional(),
  /** Stamped by another host's wall clock: good for a chart, never for a latency. */
  clock: z.literal('foreign').optional(),
  points: z.array(pointSchema),
  endedBecause: outside.optional(),
});

export type Series = z.output<typeof seriesSchema>;

/** Several values of one instant as one; undefined for none. */
export function together(name: MetricName, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return metricTable[name].together === 'max' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
}
