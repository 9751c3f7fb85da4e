import type { GaugeName, TargetMetric } from './series.js';

/** The gauges of an instant; those that are not known are left out. */
export type GaugeValues = Partial<Record<GaugeName, number>>;

/** A shard that told nothing for so long is not heard of: its gauges are of the past. */
export const silentAfterMs = 2000;

/** What was last read of the target; nothing that is not fresh. */
export type TargetValues = Partial<Record<TargetMetric, number>>;

/** Of the deliveries that arrived in a second, in microseconds; null where they can't carry a figure. */
export interface SecondPercentiles {
  count: number;
  p50: number | null;
  p99: number | null;
}

/** One second of a run that all shards have behind them, or those at least that are heard of. */
export interface RunSecond {
  /** Its end, on the axis of the result's gauges. */
  atMs: number;
  /** Of all shards that told it, together. */
  gauges: GaugeValues;
  /** By shard; null of one that did not tell it. */
  shards: (GaugeValues | null)[];
  /** Of the headline's first metric; of no sample where the scenario has no course of it. */
  percentiles: SecondPercentiles;
  /** As last read when the second was over. */
  target: TargetValues;
}

/** What is known of one shard while a run goes. */
export interface ShardView {
  index: number;
  url: string;
  stage: string;
  /** Why the shard is lost; null while it is not. All else then stays as it was last heard. */
  lost: string | null;
  /** Since when it has told nothing; more than a second or two is a shard in trouble. */
  silentMs: number;
  /** Of its last second, on the axis of the result's gauges; null before the first. */
  atMs: number | null;
  /** None once its job is done: what it told last is of the past. */
  gauges: GaugeValues;
}

/** What can be shown of a run while it goes. JSON as it stands: a stream of these draws what the result's gauges draw afterwards. */
export interface ProgressView {
  stage: string;
  elapsedMs: number;
  /** How long the run takes at most by its plan, every wait to its end, and with what it waited for shards that were silent. */
  plannedMs: number;
  /** Live figures of the scenario's roles, added up over the shards. */
  figures: Record<string, number>;
  /** Of all shards that are heard of, together. */
  gauges: GaugeValues;
  shards: ShardView[];
  /** Of the last second that ended; null before the first, and when all is over. */
  percentiles: SecondPercentiles | null;
  /** When the load began, on the axis of the result's gauges, the zero of its charts; null before that is known. */
  loadAtMs: number | null;
  /** Those that any shard has begun, on the same axis, each from the first beginning to the last end; null of one that is not over. */
  stages: { name: string; fromMs: number; toMs: number | null }[];
  /** Those that ended since the view before, oldest first: mostly none or one. */
  seconds: RunSecond[];
}
