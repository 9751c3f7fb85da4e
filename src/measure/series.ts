import { z } from 'zod';
import { outsideText } from '../units/text.js';

const outside = z.string().overwrite((text) => outsideText(text));

interface MetricSpec {
  unit: 'bytes' | 'count' | 'percent' | 'ms' | 'perSecond';
  together: 'sum' | 'max';
  means: string;
}

function metric(unit: MetricSpec['unit'], together: MetricSpec['together'], means: string): MetricSpec {
  return { unit, together, means };
}

/** Lists everything that can be observed of a target and its machine. No other list exists. */
export const metricTable = {
  rssBytes: metric('bytes', 'sum', 'resident memory; shared pages count in each process'),
  pssBytes: metric('bytes', 'sum', 'resident memory; shared pages count in parts'),
  runtimeMemoryBytes: metric('bytes', 'sum', 'memory that the Go runtime got from the system, not what is resident'),
  memAvailableBytes: metric('bytes', 'max', 'host: memory available without swapping'),
  cpuPercent: metric('percent', 'sum', 'CPU over the interval; 100 is one core'),
  busiestThreadPercent: metric('percent', 'max', 'CPU of the busiest thread over the interval; 100 is one core'),
  coreWaitPercent: metric(
    'percent',
    'sum',
    'threads that were ready to run and had no core over the interval; 100 is one thread',
  ),
  coreBusyPercent: metric('percent', 'max', 'host: how busy a core was over the interval, stolen time left out'),
  stolenPercent: metric('percent', 'max', 'host: time of all cores that the hypervisor took over the interval'),
  threads: metric('count', 'sum', 'threads'),
  goroutines: metric('count', 'sum', 'goroutines'),
  descriptors: metric('count', 'sum', 'open file descriptors'),
  descriptorLimit: metric('count', 'max', 'most file descriptors a process may open'),
  voluntarySwitchesPerSecond: metric('perSecond', 'sum', 'context switches of threads that waited'),
  involuntarySwitchesPerSecond: metric('perSecond', 'sum', 'context switches of threads that lost their core'),
  connections: metric('count', 'sum', 'open connections, as the target counts them'),
  eventLoopDelayP99Ms: metric('ms', 'max', 'delay of event-loop timers, p99 over the interval'),
  eventLoopUtilization: metric('percent', 'max', 'share of the interval in which the event loop was busy'),
  acceptQueueOverflowsPerSecond: metric(
    'perSecond',
    'max',
    'host: connections dropped because an accept queue was full',
  ),
  query: metric('count', 'sum', 'a query of yours (`--series`); in place of a process stands its name'),
};

export type MetricName = keyof typeof metricTable;

export const metricNames = Object.keys(metricTable) as [MetricName, ...MetricName[]];

export const sourceNames = ['proc', 'stats', 'prometheus'] as const;

export type SourceName = (typeof sourceNames)[number];

const pointSchema = z.strictObject({ atMs: z.number().min(0), value: z.number() });

/** Holds one observed value. `atMs` counts from the start of the observation on the monotonic clock. */
export type Point = z.output<typeof pointSchema>;

/** One metric from one source. `endedBecause` says why it stopped. Without points, its source never gave it. */
export const seriesSchema = z.strictObject({
  source: z.enum(sourceNames),
  name: z.enum(metricNames),
  unit: z.enum(['bytes', 'count', 'percent', 'ms', 'perSecond']),
  /** A pid, or a core. */
  process: outside.optional(),
  points: z.array(pointSchema),
  endedBecause: outside.optional(),
});

export type Series = z.output<typeof seriesSchema>;

export function gaugeTogether(name: MetricName, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return metricTable[name].together === 'max' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
}

export interface Gauge {
  /** At the end of each second. */
  atEnd: number[];
  /** Never too low. Too high by at most the closings of one second. */
  peak: number;
}

/** Adds up the events `opened` and `closed CAUSE` of a timeline. */
export function openGauge(timeline: Readonly<Record<string, readonly number[]>>): Gauge {
  const seconds = Math.max(0, ...Object.values(timeline).map((events) => events.length));
  const closings = Object.entries(timeline).filter(([name]) => name.startsWith('closed '));
  const gauge: Gauge = { atEnd: [], peak: 0 };
  let open = 0;
  for (let second = 0; second < seconds; second++) {
    open += timeline.opened?.[second] ?? 0;
    gauge.peak = Math.max(gauge.peak, open);
    open -= closings.reduce((sum, [, events]) => sum + (events[second] ?? 0), 0);
    gauge.atEnd.push(open);
  }
  return gauge;
}
