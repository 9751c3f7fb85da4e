import type { GaugeName } from './gauges.js';

/** The gauges of an instant; those that are not known are left out. */
export type GaugeValues = Partial<Record<GaugeName, number>>;

/** A shard that told nothing for so long is not heard of: its gauges are of the past. */
export const silentAfterMs = 2000;

/** What is known of one shard while a run goes. */
export interface ShardView {
  index: number;
  url: string;
  stage: string;
  /** Why the shard is lost; null while it is not. All else then stays as it was last heard. */
  lost: string | null;
  /** Since when it has told nothing; more than a second or two is a shard in trouble. */
  silentMs: number;
  /** Of its last second, on the axis of the result's gauges; null before the first. Equal in views between which none ended. */
  atMs: number | null;
  gauges: GaugeValues;
}

/** What can be shown of a run while it goes. JSON as it stands: a stream of these draws what the result's gauges draw afterwards. */
export interface ProgressView {
  stage: string;
  elapsedMs: number;
  /** How long the run was planned to take. */
  plannedMs: number;
  /** Live figures of the scenario's roles, added up over the shards. */
  figures: Record<string, number>;
  /** Of all shards that are heard of, together. */
  gauges: GaugeValues;
  shards: ShardView[];
}
