import type { GaugeName, TargetMetric } from './over-time/series.js';

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
