import type { MetricSpec } from '../declaration.js';
import { type Threshold, type ThresholdFigure, thresholdFigures } from '../threshold.js';
import type { Waited } from '../waits.js';

/** Holds the facts of a distribution for the verdict. A figure that its count does not carry is null. */
export type MetricFacts = { count: number } & Record<ThresholdFigure, number | null>;

export type DeclaredMetric = Partial<
  Pick<MetricSpec, 'of' | 'stampedBy' | 'atLeast' | 'fromIntended' | 'isDelivery' | 'partOf'>
>;

export type ThresholdFacts = Threshold & { value: number | null };

/** Holds the facts behind the verdict, all shards together. Latencies are in microseconds. */
export interface RunFacts {
  /** Title of the stop reason if the run did not reach its planned end. */
  cutShortBy: string | undefined;
  /** Names kinds of events that never occurred. Undefined if all did, or if a threshold expects none. */
  nothingDelivered: string | undefined;
  plannedMs: number;
  elapsedMs: number;
  offeredPerSecond: number | null;
  achievedPerSecond: number | null;
  /** Part of the missing rate for which no target was available. */
  unmetPerSecond: number;
  withheld: number;
  ledgerBreaks: readonly string[];
  ledger: Readonly<Record<string, number>>;
  metrics: Readonly<Record<string, MetricFacts>>;
  clockFaults: number;
  declared: Readonly<Record<string, DeclaredMetric>>;
  /** Demand of the job on all shards. Broadcasts are measured ones. Null if the run decides their number. */
  demanded: { clients: number; broadcasts: number | null };
  /** Error of the p99 if `calibrate` tried a load no harder than this and found it wrong. Otherwise null. */
  calibratedErrorUs: number | null;
  /** TCP losses in the network namespaces of the run. Undefined without losses or counts. */
  link: LinkFacts | undefined;
  /** Waits of a managed target. Undefined if they were not counted. */
  waits: WaitFacts | undefined;
  shards: readonly ShardFacts[];
  lostShards: number;
}

export interface LinkFacts {
  /** The largest share of deliveries that lost segments can have delayed. */
  lateShare: number;
  text: string;
  /** By metric of the target, its figures without the slowest samples of that share. */
  least: Readonly<Record<string, Partial<Record<ThresholdFigure, number | null>>>>;
}

/** Holds how long the threads of the target were ready to run without a core. */
export interface WaitFacts {
  load: Waited;
  ramp: Waited;
  /** Figures without waits, for each metric whose waits are known by broadcast. */
  least: Readonly<Record<string, Partial<Record<ThresholdFigure, number | null>>>>;
}

export interface ShardFacts {
  label: string;
  asked: number;
  dealt: { clients: number; broadcasts: number | null };
  ready: number;
  /** Clients that the target refused by HTTP status, close code, or a word of its protocol. */
  refused: number;
  published: number;
  received: number;
  descriptorsUsed: number | null;
  descriptorLimit: number | null;
  /** The clock of its stamps, and the clock that it named before the job. Null if not asked. */
  clockId: string;
  clockIdBefore: string | null;
  /** Busy share of each core of its machine. Empty if unknown. */
  coreBusy: readonly number[];
  /** Share of the time of all cores that the hypervisor took. Left out if unknown. */
  stolenShare?: number | undefined;
  /** Set if event loops stamp its deliveries, or some of them. Left out if the kernel stamps all. */
  stampedByLoops?: boolean;
  /** TCP sockets of its machine in TIME_WAIT, and the ports of all its source addresses. */
  timeWait: number | null;
  sourcePorts: number | null;
  workers: readonly WorkerFacts[];
}

export interface WorkerFacts extends LoopFacts {
  label: string;
  holdsSubscribers: boolean;
  /** How long code of flows ran on it in a window, and how long native threads waited for it. */
  userCode?: Record<'windowMs' | 'ranMs' | 'heldUpMs', number> | undefined;
  /** Its loop in the ramp. The other figures are of the measured stages. */
  ramp?: LoopFacts | undefined;
}

export interface LoopFacts {
  loopDelayP99Ms: number;
  utilization: number;
  runQueueWaitMs: number | null;
  windowMs: number;
}

interface Rule {
  rule: string;
  threshold: string;
  reason: string;
}

/** A reason why a run is another test than asked for. `check` returns the evidence with its figures, if any. */
export interface RunRule extends Rule {
  check(facts: RunFacts): string | undefined;
}

/** Describes one way in which the rig can raise single figures of a valid run. */
export interface FigureRule extends Rule {
  /** Names what may have been added, in a few words. */
  cause: string;
  bounds(facts: RunFacts): FigureBound[];
}

/** Bounds a figure of a metric, or all of them (null), that the rig may have raised. */
export interface FigureBound {
  metric: string;
  figure: ThresholdFigure | null;
  /** The truth lies between this and the figure, in microseconds. */
  leastUs: number;
  text: string;
}

export type RuledBound = FigureBound & { rule: string };

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function wholePercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Describes the worst of all workers, and the number of other bad ones. Undefined if none has a badness above zero. */
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

/** Share of a percentile that matters if the rig's error is only estimated, and its minimum in microseconds. */
const rigShareAllowed = 0.2;
const rigFloorUs = 1000;

export const rigPart = `${wholePercent(rigShareAllowed)} and ${rigFloorUs / 1000} ms`;

/** Returns true if an estimated error of the rig is large enough for a bound at the figure. */
export const isNoticed = (us: number, openUs: number): boolean => openUs > Math.max(rigFloorUs, us * rigShareAllowed);

/** Share of a figure that its bracket may leave open without a bound, and its minimum in microseconds. */
const openShareAllowed = 0.1;
const openFloorUs = 100;

export const openPart = `${wholePercent(openShareAllowed)} and ${openFloorUs / 1000} ms`;

/** Returns true if the part that a bracket leaves open is large enough for a bound at the figure. */
export const isOpen = (us: number, openUs: number): boolean => openUs > Math.max(openFloorUs, us * openShareAllowed);

type Measured = Pick<RunFacts, 'metrics' | 'declared'>;

export function figureOf({ metrics }: Pick<RunFacts, 'metrics'>, metric: string, figure: ThresholdFigure) {
  return metrics[metric]?.[figure] ?? null;
}

/** Returns the lower bound of a figure by its metric's bracket, in microseconds. Null without a bracket. */
export function leastByBracketUs(facts: Measured, metric: string, figure: ThresholdFigure): number | null {
  const { atLeast, fromIntended } = facts.declared[metric] ?? {};
  const lower = atLeast ?? (fromIntended && facts.declared[fromIntended.sent]?.atLeast);
  return lower === undefined ? null : figureOf(facts, lower, figure);
}

/** Returns the lower bound of a figure by its bracket and all bounds, in microseconds. */
export function leastUs(
  facts: Measured,
  bounds: readonly Pick<FigureBound, 'metric' | 'figure' | 'leastUs'>[],
  metric: string,
  figure: ThresholdFigure,
): number | null {
  const whole = figureOf(facts, metric, figure);
  if (whole === null) return null;
  const own = bounds.filter((each) => each.metric === metric && (each.figure ?? figure) === figure);
  const byBracket = leastByBracketUs(facts, metric, figure) ?? whole;
  return Math.min(whole, byBracket, ...own.map((each) => each.leastUs));
}

/** Bounds a whole metric of which no lower end is known. */
export function wholeBound(metric: string, text: string): FigureBound {
  return { metric, figure: null, leastUs: 0, text };
}

interface OpenPart {
  openUs: number;
  leastUs: number;
}

/** Bounds each figure of a metric whose uncertain part is large. All bounds have one text. */
export function boundsOf(
  facts: Measured,
  metric: string,
  partOf: (figure: ThresholdFigure, us: number) => OpenPart | undefined,
  isLarge: (us: number, openUs: number) => boolean,
  say: (mostUs: number) => string,
): FigureBound[] {
  const open = thresholdFigures.flatMap((figure) => {
    const us = figureOf(facts, metric, figure);
    const part = us === null ? undefined : partOf(figure, us);
    return us !== null && part && isLarge(us, part.openUs) ? [{ figure, ...part }] : [];
  });
  const text = say(Math.max(...open.map(({ openUs }) => openUs)));
  return open.map(({ figure, leastUs: least }) => ({ metric, figure, leastUs: least, text }));
}

/** Bounds every figure that its bracket leaves open, however little, of metrics that the cause concerns. */
export function bracketsOf(
  facts: RunFacts,
  text: string,
  concerns: (spec: DeclaredMetric) => boolean = () => true,
): FigureBound[] {
  return Object.entries(facts.declared).flatMap(([metric, spec]) => {
    const partOf = (figure: ThresholdFigure, us: number): OpenPart | undefined => {
      const least = leastByBracketUs(facts, metric, figure);
      return least === null ? undefined : { openUs: us - least, leastUs: least };
    };
    const isAny = (_us: number, openUs: number): boolean => openUs > 0;
    return concerns(spec) ? boundsOf(facts, metric, partOf, isAny, () => text) : [];
  });
}

export const usInMs = (us: number): string => ms(us / 1000);
