import type { percentiles } from '../samples/distribution.js';
import type { Threshold, ThresholdFigure } from '../threshold.js';

/** What the verdict knows of a distribution; a figure that its count does not carry is null. */
export type MetricFacts = { count: number; max: number | null } & Record<keyof typeof percentiles, number | null>;

/** A promise about the run, and what it has to say of it: null where it has no such figure. */
export type PromiseFacts = Threshold & { value: number | null };

/** What the verdict is drawn from: plain facts of a run, all shards together. Times in milliseconds, latencies in microseconds. */
export interface RunFacts {
  /** The stop reason's title when the run did not go to its planned end. */
  cutShortBy: string | undefined;
  /** What a run to its end has none of, in words, where no threshold expects that. */
  nothingDelivered: string | undefined;
  plannedMs: number;
  elapsedMs: number;
  offeredPerSecond: number | null;
  achievedPerSecond: number | null;
  /** Of what was offered and not achieved, what found no target to take it. */
  unmetPerSecond: number;
  /** Publishes that the rig itself could not send. */
  withheld: number;
  ledgerBreaks: readonly string[];
  ledger: Readonly<Record<string, number>>;
  metrics: Readonly<Record<string, MetricFacts>>;
  promises: readonly PromiseFacts[];
  clockFaults: number;
  /** Metrics that a loop stamps without a bracket, and whether that loop holds subscribers, or stamps them in the ramp. */
  stampedBy: Readonly<Record<string, 'audience' | 'publisher' | 'ramp'>>;
  /** What the job asks of all shards together: clients, and measured broadcasts, null where the run itself decides how many. */
  demanded: { clients: number; broadcasts: number | null };
  /** How far off the p99 was when a load no harder than this was held against known truth and found wrong; null where none was. */
  calibratedErrorUs: number | null;
  /** What TCP lost in the network namespaces of the run; undefined where it lost nothing, or nobody counted. */
  link: LinkFacts | undefined;
  shards: readonly ShardFacts[];
  /** Shards of which no result came: of what they did the facts know nothing. */
  lostShards: number;
}

export interface LinkFacts {
  /** The largest share of deliveries that lost segments can have delayed. */
  lateShare: number;
  /** What was lost, in words. */
  text: string;
  /** By metric of the target, its figures without its slowest samples of that share: they are at least that without any loss. */
  least: Readonly<Record<string, Omit<MetricFacts, 'count'>>>;
}

export interface ShardFacts {
  label: string;
  asked: number;
  /** Its share of what the job asks for. */
  dealt: { clients: number; broadcasts: number | null };
  ready: number;
  /** Clients that the target itself turned away: by HTTP status, close code, or a word of its protocol. */
  refused: number;
  published: number;
  received: number;
  descriptorsUsed: number | null;
  descriptorLimit: number | null;
  /** The clock of its stamps, and the one that it named before the job; null where it was not asked. */
  clockId: string;
  clockIdBefore: string | null;
  /** Busy share of each core of its machine, whoever used it; empty where the system does not tell. */
  coreBusy: readonly number[];
  /** TCP sockets of its machine in TIME_WAIT, beside the ports that all its source addresses have together. */
  timeWait: number | null;
  sourcePorts: number | null;
  workers: readonly WorkerFacts[];
}

export interface WorkerFacts extends LoopFacts {
  label: string;
  holdsSubscribers: boolean;
  /** Its loop in the ramp; the rest is of the measured stages. */
  ramp?: LoopFacts | undefined;
}

/** A loop while a load was on it. */
export interface LoopFacts {
  loopDelayP99Ms: number;
  utilization: number;
  runQueueWaitMs: number | null;
  windowMs: number;
  gcMaxMs: number;
}

/** One thing that can speak against a run. `check` gives the evidence, with the figures, or nothing. */
export interface VerdictRule {
  rule: string;
  level: 'limited' | 'void';
  /** From where on it speaks. */
  threshold: string;
  /** Why the threshold stands there. */
  reason: string;
  check(facts: RunFacts): string | undefined;
}

/** A figure of a metric, or all of them (null), that the rig may have written, whatever is to be said of the run. */
export interface Doubt {
  metric: string;
  figure: ThresholdFigure | null;
  /** The truth lies between this and the figure, in microseconds. */
  leastUs: number;
  text: string;
}
