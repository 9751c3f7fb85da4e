import { z } from 'zod';
import { outside, outsideSentence } from '../contract/problems.js';
import { seriesSchema } from '../measure/series.js';

export type GaugeValues = Partial<Record<GaugeName, number>>;

/** A shard without reports for this long is silent, and its gauges are old. */
export const silentAfterMs = 2000;

/** Holds the latest readings of the target, without old ones. */
export type TargetValues = Partial<Record<TargetMetric, number>>;

/** Percentiles of deliveries that arrived in a span, in microseconds. Null with too few independent ones. */
export interface LivePercentiles {
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
}

/** Holds one second that all shards have reported, except for silent ones. */
export interface RunSecond {
  /** End of the second, on the axis of the result's gauges. */
  atMs: number;
  gauges: GaugeValues;
  /** By shard. Null if it did not report. */
  shards: (GaugeValues | null)[];
  percentiles: LivePercentiles;
  /** Set for what is left of some shards when all have ended: its sums lack the others. */
  isPart: boolean;
  /** By shard: the samples of the second, as a flat list of live bin and count. */
  bins: readonly (readonly number[])[];
  target: TargetValues;
}

export interface ShardView {
  index: number;
  url: string;
  stage: string;
  /** Reason of the loss, or null. A lost shard keeps its last values. */
  lost: string | null;
  silentMs: number;
  awaitedMs: number;
  /** Last second of the shard, on the axis of the result's gauges. */
  atMs: number | null;
  gauges: GaugeValues;
}

export interface ProgressView {
  stage: string;
  elapsedMs: number;
  /** The longest planned duration, plus the time spent waiting for silent shards. */
  plannedMs: number;
  /** Live counts of the scenario’s roles, all shards together. */
  figures: Record<string, number>;
  gauges: GaugeValues;
  shards: ShardView[];
  /** Percentiles of the run so far. Null before the first second and at the end. */
  percentiles: LivePercentiles | null;
  /** Start of the load on the axis of the result's gauges. Null while unknown. */
  loadAtMs: number | null;
  /** Begun stages on the same axis, over all shards. `toMs` is null while a stage lasts. */
  stages: { name: string; fromMs: number; toMs: number | null }[];
  /** The seconds since the last view, oldest first. */
  seconds: RunSecond[];
}

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
