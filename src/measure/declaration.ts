import type { z } from 'zod';
import type { Books, LedgerEntries } from './ledger.js';
import type { BlockTimes, Summary } from './samples/distribution.js';
import type { ThresholdFigure } from './threshold.js';

/** A kind of event, and the count of the ledger with the number of independent samples. */
export interface Events {
  name: string;
  entry: string;
}

/** A distribution that a scenario measures. Shards return its samples, which are merged and never averaged. */
export interface MetricSpec {
  kind: 'distribution';
  unit: 'us';
  meaning: string;
  /** Names the owner of the metric if the verdict is clean: the target, or the rig itself. */
  of: 'target' | 'rig';
  /** The event loop that stamps it without a bracket. `ramp` is before the measurement. */
  stampedBy?: 'audience' | 'publisher' | 'ramp';
  /** Names the metric of the same samples without their possible wait in the rig. The truth lies between the two. */
  atLeast?: string;
  /** For a latency from the scheduled instant: the metric from the send, and the metric of the send's lag. */
  fromIntended?: { sent: string; lag: string };
  /** Set if only some runs have it. Results of other runs do not name it. */
  isOptional?: true;
  /** Set if a run has it by name, too, as `ask:login` beside `ask`. */
  isFamily?: true;
  /** The family of a part by name. Its bracket leaves as much open. */
  partOf?: string;
  /** Set if a sample is a broadcast to a subscriber, timed by the shard that sent it. `calibrate` proves these. */
  isDelivery?: true;
  /** Set if the target times it by its own clock. Such a metric includes no network. */
  isTargetsClock?: true;
  /** Counts of the ledger whose samples never came, or not within the run. They rank last. */
  unfinished?: readonly string[];
  /** The count that contains its samples, if shards time only their own. The same part of `unfinished` applies. */
  samplesOf?: string;
  /** The independent samples. Left out if each sample is an event of its own. */
  independent?: Events;
}

/** Describes one stage of a run. At a gate, the stage waits until every shard is there and the driver opens it. */
export interface StageSpec {
  name: string;
  gate?: string;
  /** Set for measured stages. The rig measures itself over these. */
  isMeasured?: boolean;
  /** Set for stages that make a round. They follow each other and are repeated. */
  isRound?: boolean;
  /** Set if it awaits what is under way. A run that its user ends still goes through it. */
  isClosing?: true;
  summary: string;
}

/** Describes a column of a scoreboard: a figure, a count, a count as a share of another, or memory per connection. */
export type HeadlineColumn =
  | { title: string; kind: 'figure'; metric: string; figure: ThresholdFigure }
  | { title: string; kind: 'count'; entry: string }
  | { title: string; kind: 'share'; part: string; whole: string }
  | { title: string; kind: 'footprint' };

/** Names the ways to send broadcasts: one POST each, several in one, from clients, or made by the target. */
export const publishWays = ['http', 'batches', 'clients', 'in-process'] as const;

export type PublishWay = (typeof publishWays)[number];

/** Returns how broadcasts of a scenario with these options reach the target. Undefined if it makes none. */
export function publishWayOf<O>(
  { publishes, publishWay }: { publishes: boolean; publishWay?(options: O): PublishWay | undefined },
  options: O,
): PublishWay | undefined {
  if (!publishes) return undefined;
  return publishWay ? publishWay(options) : 'http';
}

export function isPosted(way: PublishWay | undefined): boolean {
  return way === 'http' || way === 'batches';
}

/** Returns true if the deliveries of such broadcasts are timed. Broadcasts that leave in batches are only counted. */
export function isTimed(way: PublishWay | undefined): boolean {
  return way !== 'batches' && way !== 'in-process';
}

export type TargetReading = 'cpuPercent' | 'coreWaitPercent' | 'eventLoopDelayP99Ms' | 'rssBytes';

/** Gives access to the parts of a result beyond figures and counts. */
export interface ResultView<O = Record<string, unknown>> {
  options: O;
  /** Returns the median reading of the target in a period after the start of a stage. Null if there is none. */
  reading(stage: string, name: TargetReading, fromMs: number, toMs: number): number | null;
  /** Returns the p50 of a metric in about each second, in microseconds, with the middle of that second. */
  medians(metric: string): readonly (readonly [atMs: number, us: number])[];
  /** Returns the 95 % interval of a figure over its blocks, in microseconds. Undefined without one. */
  intervalUs(metric: string, figure: ThresholdFigure): readonly [low: number, high: number] | undefined;
  /** Returns the least of a figure by its bounds, in microseconds. Undefined without one. */
  leastUs(metric: string, figure: ThresholdFigure): number | undefined;
}

/** Describes a chart against the number of clients: lines of one unit, each with a value for each number. */
export interface ClientChart {
  title: string;
  unit: string;
  clients: readonly number[];
  lines: readonly { label: string; values: readonly (number | null)[] }[];
}

/**
 * A clause of the answer, with names in braces: `{delivery}` is a metric's median and tail, `{delivery.p95}` a figure,
 * `{lost}` a count or an option, `{live/owed}` a share, `{footprint}` memory per connection. It is left out if a run
 * lacks one of them. In the other form, the clause depends on whether the count is 0; an empty one is left out.
 */
export type Clause = string | { count: string; none: Clause; some: Clause };

/** The parts of a result from which a scenario makes its sentences. `ms` prints microseconds as milliseconds. */
type ResultParts<S extends z.ZodObject> = [
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  ms: (us: number | null) => string,
  told: ResultView<z.output<S>>,
];

/** Declares a scenario's test for all code that reads and prints results. */
export interface Declaration<S extends z.ZodObject = z.ZodObject> {
  name: string;
  question: string;
  summary: string;
  options: S;
  metrics: Record<string, MetricSpec>;
  stages: readonly StageSpec[];
  /** Set if the driver disrupts the target in the middle of the run, when it opens that gate. */
  disruption?: { gate: string };
  publishes: boolean;
  /** Returns how broadcasts reach the target, which must offer that way. Left out if always `http`. */
  publishWay?(options: z.output<S>): PublishWay | undefined;
  /** Returns notes on such a run, in sentences. They are printed above its numbers. */
  notes?(options: z.output<S>, protocol?: string): readonly string[];
  /** Set if the scenario looks for the most connections. A limit of the target is then the finding. */
  isCapacity?: true;
  /** The events that a run repeats, also if its user ends it. Undefined if the run is one event. */
  work?: Events;
  /** Returns, by metric, when the units of its blocks were due. A metric without it has no figures over time. */
  blockTimes?(options: z.output<S>): Record<string, BlockTimes>;
  /** Kinds and sums of the ledger. Checks, bars and directions of change follow from them. */
  books: Books;
  ledgerLines(entries: LedgerEntries): readonly (readonly [label: string, text: string])[];
  /** Returns further lines beside distributions and ledger. */
  figureLines?(...of: ResultParts<S>): readonly string[];
  /** Returns the answer in a sentence, if figures alone do not give it. Undefined if open. */
  finding?(...of: ResultParts<S>): string | undefined;
  /** Returns charts against the number of clients. Left out if that number never changes. */
  clientCharts?(
    metrics: Readonly<Record<string, Summary>>,
    entries: LedgerEntries,
    told: ResultView<z.output<S>>,
  ): readonly ClientChart[];
  headline: readonly HeadlineColumn[];
  sentence: readonly Clause[];
}
