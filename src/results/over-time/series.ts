import { z } from 'zod';
import { outside, outsideSentence } from '../../contract/problems.js';
import { seriesSchema } from '../../measure/series.js';

const gaugeUnit = z.enum(['count', 'perSecond', 'ms', 'cores', 'bytes', 'percent']);

/** Every gauge that a shard reports over time. `together` says how to combine shards at one instant. */
export const gaugeTable = {
  open: { unit: 'count', together: 'sum', means: 'open clients; those that are offline are not counted' },
  deliveriesPerSecond: {
    unit: 'perSecond',
    together: 'sum',
    means: 'deliveries since the point before, warm-up included',
  },
  publishesPerSecond: {
    unit: 'perSecond',
    together: 'sum',
    means: 'publishes, or messages sent by clients, since the point before, warm-up included',
  },
  backlog: {
    unit: 'count',
    together: 'sum',
    means: 'deliveries that are due and have not arrived: acked publishes × subscribers − received',
  },
  loopDelayMs: {
    unit: 'ms',
    together: 'max',
    means: 'the latest timer of the shard’s event loops since the point before',
  },
  cpuCores: { unit: 'cores', together: 'sum', means: 'CPU of the bench-runner, in cores' },
  rssBytes: { unit: 'bytes', together: 'sum', means: 'resident memory of the bench-runner' },
  stolenPercent: {
    unit: 'percent',
    together: 'max',
    means: 'time of all cores of the bench-runner’s machine that the hypervisor took',
  },
} as const satisfies Record<string, { unit: z.output<typeof gaugeUnit>; together: 'sum' | 'max'; means: string }>;

export type GaugeName = keyof typeof gaugeTable;

export const gaugeNames = Object.keys(gaugeTable) as [GaugeName, ...GaugeName[]];

/** Lists the gauges that are zero when a job starts. */
export const startsAtZero: ReadonlySet<GaugeName> = new Set([
  'open',
  'deliveriesPerSecond',
  'publishesPerSecond',
  'backlog',
]);

/** Names the source of gauges of all shards together, exact to the second. */
export const wholeRun = 'run';

export function shardSource(index: number): string {
  return `shard ${index}`;
}

/** One gauge of some 2,000 points at most: the mean of rates, the maximum of delays, or the last value. */
export const gaugeSeries = z.strictObject({
  /** `shard N`, or `run`. */
  source: outside,
  name: z.enum(gaugeNames),
  unit: gaugeUnit,
  points: seriesSchema.shape.points,
  endedBecause: outsideSentence.optional(),
});

export type GaugeSeries = z.output<typeof gaugeSeries>;

/** Metrics for a target's memory, best first. */
export const memoryMetrics = ['rssBytes', 'runtimeMemoryBytes'] as const;

/** Names the metrics of the target shown during a run. `memoryBytes` is the first available one of `memoryMetrics`. */
export type TargetMetric = 'cpuPercent' | 'memoryBytes' | 'eventLoopDelayP99Ms';
