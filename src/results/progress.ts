import type { GaugeName, TargetMetric } from './over-time/series.js';

export type GaugeValues = Partial<Record<GaugeName, number>>;

/** A shard that reports nothing for so long is silent, and its gauges are old. */
export const silentAfterMs = 2000;

/** The latest readings of the target, none that is old. */
export type TargetValues = Partial<Record<TargetMetric, number>>;

/** Of deliveries that arrived in a second, in microseconds; null with too few that are independent. */
export interface SecondPercentiles {
  count: number;
  p50: number | null;
  p99: number | null;
  max: number | null;
}

/** One second that all shards have reported, except for silent ones. */
export interface RunSecond {
  /** Its end, on the axis of the result's gauges. */
  atMs: number;
  gauges: GaugeValues;
  /** By shard; null if it did not report. */
  shards: (GaugeValues | null)[];
  percentiles: SecondPercentiles;
  target: TargetValues;
}

export interface ShardView {
  index: number;
  url: string;
  stage: string;
  /** Why it is lost, or null; a lost shard keeps its last values. */
  lost: string | null;
  silentMs: number;
  /** How long the run still waits for what a lost shard measured. */
  awaitedMs: number;
  /** Its last second, on the axis of the result's gauges. */
  atMs: number | null;
  /** Empty once its job is done. */
  gauges: GaugeValues;
}

export interface ProgressView {
  stage: string;
  elapsedMs: number;
  /** The longest duration by plan, plus the time spent waiting for silent shards. */
  plannedMs: number;
  /** Live counts of the scenario’s roles, all shards together. */
  figures: Record<string, number>;
  gauges: GaugeValues;
  shards: ShardView[];
  /** Of the last second; null before the first and at the end. */
  percentiles: SecondPercentiles | null;
  /** The start of the load on the axis of the result's gauges; null while unknown. */
  loadAtMs: number | null;
  /** Begun stages on the same axis, over all shards; `toMs` is null while a stage lasts. */
  stages: { name: string; fromMs: number; toMs: number | null }[];
  /** The seconds since the last view, oldest first. */
  seconds: RunSecond[];
}
