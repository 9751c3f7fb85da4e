import type { z } from 'zod';
import type { Books, LedgerEntries } from './ledger.js';
import type { Summary } from './samples/distribution.js';
import type { BlockTimes } from './samples/over-time.js';
import type { ThresholdFigure } from './threshold.js';

/** A kind of event, and the count of the ledger that says how many: as of one whose samples share its fate. */
export interface Events {
  name: string;
  entry: string;
}

/** A distribution that a scenario measures. Shards return its samples; they are merged, never averaged. */
export interface MetricSpec {
  kind: 'distribution';
  unit: 'us';
  meaning: string;
  /** Whose property it is when the verdict is clean: the target's, or the rig's own. */
  of: 'target' | 'rig';
  /** Whose event loop stamps it without a bracket. `ramp`: before the measurement, so only this metric suffers. */
  stampedBy?: 'audience' | 'publisher' | 'ramp';
  /** The metric with the same samples without their possible wait in the rig: the truth lies between. */
  atLeast?: string;
  /** For a latency from the scheduled instant: the metric from the send, and the one of the send's lag. */
  fromIntended?: { sent: string; lag: string };
  /** Only some runs have it: results of others do not name it. */
  isOptional?: true;
  /** One broadcast to one subscriber, timed by the shard that sent it, as `calibrate` proves it. */
  isDelivery?: true;
  /** Set where the target times it by its own clock: no network is in it. */
  isTargetsClock?: true;
  /** Counts of the ledger that have no sample because they never came, or not within the run; they rank last. */
  unfinished?: readonly string[];
  /** The count of which its samples are a part, where shards time only their own; the same part is unfinished. */
  samplesOf?: string;
  /** What its independent samples are; left out where each sample is an event of its own. */
  independent?: Events;
}

/** One stage of a run. A stage with a gate waits until the driver, having seen every shard there, opens it. */
export interface StageSpec {
  name: string;
  gate?: string;
  /** Rig self-measurement covers the stages that are measured. */
  isMeasured?: boolean;
  /** One of the stages, standing together, that make a round: they are repeated. */
  isRound?: boolean;
  /** Set where it awaits what is under way: a run that its user ends goes through it all the same. */
  isClosing?: true;
  summary: string;
}

/** One column of a scoreboard: a figure, a count, one count as a share of another, or memory per connection. */
export type HeadlineColumn =
  | { title: string; kind: 'figure'; metric: string; figure: ThresholdFigure }
  | { title: string; kind: 'count'; entry: string }
  | { title: string; kind: 'share'; part: string; whole: string }
  | { title: string; kind: 'footprint' };

/**
 * How broadcasts reach the target: one POST each, several in one POST, from clients, or made by the target. The kinds
 * of `--publish`.
 */
export const publishWays = ['http', 'batches', 'clients', 'in-process'] as const;

export type PublishWay = (typeof publishWays)[number];

/** How the broadcasts of a scenario with these options reach the target; undefined where it makes none. */
export function publishWayOf<O>(
  { publishes, publishWay }: { publishes: boolean; publishWay?(options: O): PublishWay | undefined },
  options: O,
): PublishWay | undefined {
  if (!publishes) return undefined;
  return publishWay ? publishWay(options) : 'http';
}

/** Whether the driver posts broadcasts to the target's publish address. */
export function isPosted(way: PublishWay | undefined): boolean {
  return way === 'http' || way === 'batches';
}

/** Whether the deliveries of such broadcasts are timed. Those that leave in batches are counted alone. */
export function isTimed(way: PublishWay | undefined): boolean {
  return way !== 'batches' && way !== 'in-process';
}

/** What is read of a target while a run goes on. */
export type TargetReading = 'cpuPercent' | 'coreWaitPercent' | 'eventLoopDelayP99Ms' | 'rssBytes';

/** What a result tells beside figures and counts. */
export interface ResultView<O = Record<string, unknown>> {
  options: O;
  /** The median reading of the target in a time after the start of a stage; null without one. */
  reading(stage: string, name: TargetReading, fromMs: number, toMs: number): number | null;
  /** The p50 of a metric in about each second of the schedule, in microseconds, and the middle of that time. */
  medians(metric: string): readonly (readonly [atMs: number, us: number])[];
  /** The least that the marks at a figure leave of it, in microseconds; undefined without a mark. */
  leastUs(metric: string, figure: ThresholdFigure): number | undefined;
}

/** A chart against the number of clients: some lines of one unit, each with a value for each number. */
export interface ClientChart {
  title: string;
  unit: string;
  clients: readonly number[];
  lines: readonly { label: string; values: readonly (number | null)[] }[];
}

/** What a scenario declares of its test, for all that read and print results. */
export interface Declaration<S extends z.ZodObject = z.ZodObject> {
  name: string;
  question: string;
  summary: string;
  options: S;
  metrics: Record<string, MetricSpec>;
  stages: readonly StageSpec[];
  /** What the driver does to the target in the middle of the run, when it opens that gate. */
  disruption?: { gate: string };
  publishes: boolean;
  /** How they reach the target with these options, which it must offer; left out where that is always `http`. */
  publishWay?(options: z.output<S>): PublishWay | undefined;
  /** What is to be said of such a run above its numbers, in sentences. */
  notes?(options: z.output<S>, protocol?: string): readonly string[];
  /** Set where the number of connections is the subject: then a wall of the target is the finding. */
  isCapacity?: true;
  /** What a run does over and over: the figures of one that its user ends hold for these. None for one whole event. */
  work?: Events;
  /** By metric, when that was intended which its blocks count by; without it a metric has no course over time. */
  blockTimes?(options: z.output<S>): Record<string, BlockTimes>;
  /** Kinds and sums of the ledger: checks, bars and directions of change follow from them. */
  books: Books;
  /** The ledger in lines for people: label, then sentence. */
  ledgerLines(entries: LedgerEntries): readonly (readonly [label: string, text: string])[];
  /** What it has to show beside distributions and ledger, in lines; `ms` prints microseconds as milliseconds. */
  figureLines?(
    metrics: Readonly<Record<string, Summary>>,
    entries: LedgerEntries,
    ms: (us: number | null) => string,
    told: ResultView<z.output<S>>,
  ): readonly string[];
  /** The answer to its question in a sentence, where figures alone do not give it; undefined if nothing tells it. */
  finding?(
    metrics: Readonly<Record<string, Summary>>,
    entries: LedgerEntries,
    ms: (us: number | null) => string,
    told: ResultView<z.output<S>>,
  ): string | undefined;
  /** What it has to draw against the number of clients; left out where that is the same all the time. */
  clientCharts?(
    metrics: Readonly<Record<string, Summary>>,
    entries: LedgerEntries,
    told: ResultView<z.output<S>>,
  ): readonly ClientChart[];
  headline: readonly HeadlineColumn[];
}
