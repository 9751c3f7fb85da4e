import type { MetricSpec } from '../declaration.js';
import type { Threshold, ThresholdFigure } from '../threshold.js';
import type { Waited } from '../waits.js';

/** What the verdict knows of a distribution; a figure that its count does not carry is null. */
export type MetricFacts = { count: number } & Record<ThresholdFigure, number | null>;

type DeclaredMetric = Partial<Pick<MetricSpec, 'of' | 'stampedBy' | 'atLeast' | 'fromIntended' | 'isDelivery'>>;

/** A threshold of the run and its value; null without such a figure. */
export type ThresholdFacts = Threshold & { value: number | null };

/** The facts that the verdict is drawn from, all shards together. Latencies are in microseconds. */
export interface RunFacts {
  /** The stop reason's title when the run did not go to its planned end. */
  cutShortBy: string | undefined;
  /** What a complete run has none of, in words, unless a threshold expects that. */
  nothingDelivered: string | undefined;
  plannedMs: number;
  elapsedMs: number;
  offeredPerSecond: number | null;
  achievedPerSecond: number | null;
  /** The part of the missing rate that found no target to take it. */
  unmetPerSecond: number;
  withheld: number;
  ledgerBreaks: readonly string[];
  ledger: Readonly<Record<string, number>>;
  metrics: Readonly<Record<string, MetricFacts>>;
  clockFaults: number;
  declared: Readonly<Record<string, DeclaredMetric>>;
  /** What the job asks of all shards; broadcasts are measured ones, null where the run decides how many. */
  demanded: { clients: number; broadcasts: number | null };
  /** How far off the p99 was when `calibrate` tried a load no harder than this and found it wrong; else null. */
  calibratedErrorUs: number | null;
  /** What TCP lost in the network namespaces of the run; undefined without losses or counts. */
  link: LinkFacts | undefined;
  /** Of a managed target; undefined where nobody counted its waits. */
  waits: WaitFacts | undefined;
  shards: readonly ShardFacts[];
  /** Shards without a result: the facts do not cover them. */
  lostShards: number;
}

export interface LinkFacts {
  /** The largest share of deliveries that lost segments can have delayed. */
  lateShare: number;
  text: string;
  /** By metric of the target, its figures without the slowest samples of that share. */
  least: Readonly<Record<string, Partial<Record<ThresholdFigure, number | null>>>>;
}

/** How long the threads of the target were ready to run without a core. */
export interface WaitFacts {
  load: Waited;
  ramp: Waited;
  /** By metric whose waits are known by broadcast, its figures without them. */
  least: Readonly<Record<string, Partial<Record<ThresholdFigure, number | null>>>>;
}

export interface ShardFacts {
  label: string;
  asked: number;
  dealt: { clients: number; broadcasts: number | null };
  ready: number;
  /** Clients that the target turned away by HTTP status, close code, or a word of its protocol. */
  refused: number;
  published: number;
  received: number;
  descriptorsUsed: number | null;
  descriptorLimit: number | null;
  /** The clock of its stamps, and the one it named before the job; null if not asked. */
  clockId: string;
  clockIdBefore: string | null;
  /** Busy share of each core of its machine; empty if unknown. */
  coreBusy: readonly number[];
  /** Share of the time of all cores that the hypervisor took; left out if unknown. */
  stolenShare?: number | undefined;
  /** TCP sockets of its machine in TIME_WAIT, and the ports of all its source addresses. */
  timeWait: number | null;
  sourcePorts: number | null;
  workers: readonly WorkerFacts[];
}

export interface WorkerFacts extends LoopFacts {
  label: string;
  holdsSubscribers: boolean;
  /** Its loop in the ramp; the other figures are of the measured stages. */
  ramp?: LoopFacts | undefined;
}

/** A loop while a load was on it. */
export interface LoopFacts {
  loopDelayP99Ms: number;
  utilization: number;
  runQueueWaitMs: number | null;
  windowMs: number;
}

/** One thing that makes a run another test than asked for. `check` gives the evidence with its figures, or nothing. */
export interface RunRule {
  rule: string;
  level: 'limited' | 'void';
  threshold: string;
  reason: string;
  check(facts: RunFacts): string | undefined;
}

/** One way in which the rig can raise single figures of a run that stands. */
export interface FigureRule {
  rule: string;
  level: 'figure';
  threshold: string;
  reason: string;
  marks(facts: RunFacts): Mark[];
}

/** A figure of a metric, or all of them (null), that the rig may have raised. */
export interface Mark {
  metric: string;
  figure: ThresholdFigure | null;
  /** The truth lies between this and the figure, in microseconds. */
  leastUs: number;
  text: string;
}

/** A mark and the rule that made it. */
export type RuledMark = Mark & { rule: string };

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function wholePercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Says the worst of all workers, and how many others are bad; undefined where none has a badness above zero. */
export function worst(
  shards: readonly ShardFacts[],
  badness: (worker: WorkerFacts) => number,
  say: (label: string, value: number) => string,
): string | undefined {
  const bad = shards
    .flatMap((shard) =>
      shard.workers.map((worker) => ({ label: `${shard.label} ${worker.label}`, value: badness(worker) })),
    )
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
  const [first] = bad;
  if (!first) return undefined;
  const others = bad.length - 1;
  return say(first.label, first.value) + (others > 0 ? ` (and ${others} more worker${others > 1 ? 's' : ''})` : '');
}
