import type { z } from 'zod';
import type { Demand } from '../contract/bodies.js';
import type { Declaration, StageSpec } from '../measure/declaration.js';
import type { Ledger } from '../measure/ledger.js';
import type { TargetSlots } from '../measure/paired/slots.js';
import type { Recorder, StampTable } from '../measure/samples/recorder.js';
import type { Samples } from '../measure/samples/samples.js';
import type { ClientEvents, Clients, Verb } from '../protocols/protocol.js';
import type { LoadOptions } from './load-options.js';

/** The stage, of whatever scenario, in which clients come in. */
export const rampStage = 'ramp';

/** A measured stage behind a gate. */
export function measured(name: string, gate: string, summary: string): StageSpec {
  return { name, gate, isMeasured: true, summary };
}

/** The measured stage in which nothing new is sent. */
export function drain(summary: string): StageSpec {
  return { ...measured('drain', 'drain', summary), isClosing: true };
}

/** How often the stages of a round are repeated. */
export interface RoundPlan<O = Record<string, unknown>> {
  count(options: O): number;
  /** Clients asked for in the rounds up to that one, counted from 0. */
  clients(options: O, round: number): number;
  /** Why no further round is to begin, from the live figures of all shards; undefined to go on. */
  enough?(options: O, figures: Readonly<Record<string, number>>, round: number): string | undefined;
}

/** What a role of a worker counted and recorded. Counts and causes add up over workers and shards. */
export interface RoleReport {
  counts: Record<string, number>;
  /** By occasion (`connect`, `close`, `publish`), then by cause. */
  causes: Record<string, Record<string, number>>;
  samples: Record<string, Samples>;
  /** Per measured broadcast, and the blocks of metrics (`blocks.ts`); they add up element by element. */
  series: Record<string, Uint32Array>;
  /** Events per second since the job's start; they add up second by second. */
  timeline: Record<string, number[]>;
  /** How long something lasted for a worker, in milliseconds; the longest of all workers divides what adds up. */
  longestMs?: Record<string, number>;
}

/** What comes back from all workers and shards, added up. */
export type Sums = Pick<RoleReport, 'counts' | 'causes' | 'series' | 'timeline' | 'longestMs'>;

export interface RoleContext<O> {
  options: O;
  load: LoadOptions;
  stream: string;
  board: StampTable;
  /** The share of the whole run that this shard has. */
  slice: { index: number; of: number };
  /** Of every random choice of the run; the same for all workers and shards. */
  seed: number;
  /** The slots that broadcasts or sends follow in a paired comparison; left out where they are evenly due. */
  slots?: TargetSlots;
  nowNs(): number;
  /** Resolves after about `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  recorder(): Recorder;
  /** Makes clients of this worker: the audience's own, or the `publishingClients` of a shard for a publisher. */
  openClients(events: ClientEvents): Promise<Clients>;
  log(text: string): void;
  /** Asks the shard to stop early: nothing can come any more. */
  giveUp(reason: GiveUp): void;
}

/** Why a worker sees no sense in going on. The shard stops when all its workers of that role say so. */
export interface GiveUp {
  code: 'targetGone';
  evidence: string;
}

export interface AudienceContext<O> extends RoleContext<O> {
  clientCount: number;
  totalClients: number;
  /** Number in the whole run of this worker's client 0; draws for a client depend on its number alone. */
  firstClient: number;
  /** How long this worker's loop has slept for certain so far: nothing waited for the rig meanwhile. */
  sleptNs(): number;
  /** Posts without a body to that path of the target’s HTTP side; never rejects. */
  ask(path: string): Promise<Answered>;
}

/** What an HTTP request was answered, or why it was not. */
export type Answered = { text: string } | { cause: string };

/** The answer of a broadcast that gets none: it counts as acked once it is written. */
export const written = Symbol('written');

/** What became of a publish: an HTTP status, the cause of a failure, or that no answer comes. */
export type PublishAnswer = number | string | typeof written;

/** Whether the target took a publish, as far as it says. */
export function isTaken(answer: PublishAnswer): boolean {
  return answer === written || (typeof answer === 'number' && answer >= 200 && answer < 300);
}

/** What a publish tells of itself on its way. */
export interface PublishEvents {
  /** Right before it goes to a connected socket. */
  sent?(): void;
  /** Right after the kernel took its last byte, or then if it is told; not called if nobody can tell when that was. */
  written?(atNs?: number): void;
  /** Its answer was taken, which can have been readable since then, in nanoseconds. */
  answered?(readableFromNs: number): void;
  /** How long the target's own publish call took, in microseconds, if it reports that. */
  took?(us: number): void;
}

export interface PublisherContext<O> extends RoleContext<O> {
  /** Resolves once the clock has passed `atNs`, or at once on abort. */
  until(atNs: number, signal: AbortSignal): Promise<void>;
  /** Publishes one broadcast, by a request or by a client; never rejects. */
  publish(data: string, events?: PublishEvents): Promise<PublishAnswer>;
  /** How clients publish: whether they subscribe before, and get an answer. Left out where they do neither. */
  byClients?: { joins: boolean; isAnswered: boolean } | undefined;
  /** Hands over a batch that the target publishes by itself, one broadcast every 1/`ratePerSecond` s; never rejects. */
  publishBatch?(data: readonly string[], ratePerSecond: number): Promise<BatchAnswer>;
  /** Publishes several broadcasts in one request, at most `most`; left out where the address takes none. */
  together?: { most: number; publish(data: readonly string[]): Promise<number | string> };
  payload(sequence: number): string;
}

/** What the target answered to a batch: how long it took by its own clock, a status, or a cause. */
export type BatchAnswer = { tookMs: number } | number | string;

export interface Role {
  /** Runs a stage of a round, from 0. `startAtNs` is the shard's common start. Ends early, without error, on abort. */
  stage(name: string, startAtNs: number, signal: AbortSignal, round?: number): Promise<void>;
  /** Live figures, warm-up included; they add up over workers. Gauges read `offline`, `received`, `sent` and others. */
  progress(): Record<string, number>;
  /** What moves while this worker has a load; left out where its live figures tell that. */
  work?(): Record<string, number>;
  /** Samples so far of the headline's first metric by the bins of `blocks.ts`; only for audiences that time it. */
  bins?(): Uint32Array;
  /** What was measured; called once, at the end or after an abort. Samples are by metric, or by an own name. */
  report(): RoleReport;
  /** Closes what the role opened; left out where stages leave nothing open. */
  dispose?(): void;
}

/** What a role reports that did nothing. */
export const nothingToReport: RoleReport = { counts: {}, causes: {}, samples: {}, series: {}, timeline: {} };

/** The publisher of a scenario in which clients do all the sending. */
export const noPublisher: Role = {
  stage: async () => undefined,
  progress: () => ({}),
  report: () => nothingToReport,
};

interface AnyDisruption<O> {
  gate: string;
  /** The stop signal for managed processes; external ones have a restart command or webhook. */
  signal(options: O): 'SIGTERM' | 'SIGKILL';
  /** Why it failed, from the counts of all shards and of the driver; undefined where it did not. */
  failed(counts: Readonly<Record<string, number>>, options: O): FailedDisruption | undefined;
}

/** A disruption without a result: nothing shows that it happened, or it outlasted the load. */
export interface FailedDisruption {
  code: 'noRestart' | 'restartOutlasted';
  evidence: string;
}

/** How an application is redeployed that lives in the target or, as processes of its own, in front of it. */
export interface Redeploy {
  /** Undefined: as the target is made for. */
  application?: 'embedded' | 'standalone' | undefined;
  applicationProcesses: number;
  isRolling: boolean;
  /** Rolling: from one process serving again to the end of the next. */
  pauseMs: number;
  /** How long a process stays away before it is started again. */
  downMs: number;
  /** From the order to the instant the last broadcast is due. */
  leftMs: number;
}

/** What the driver does once every shard is at that gate. The next gate stays shut until it is done. */
export type Disruption<O = Record<string, unknown>> =
  | (AnyDisruption<O> & { kind: 'restartTarget' })
  | (AnyDisruption<O> & { kind: 'redeployApplication'; redeploy(options: O): Redeploy });

/** How a scenario takes part in a paired comparison. A round is one broadcast, or one send of each client. */
export interface Slots<O = Record<string, unknown>> {
  /** The stage that follows the slots. */
  stage: string;
  /** The metric that targets are compared by, with blocks by round, and its lower bound. */
  metric: string;
  atLeast: string;
  /** The series that count, by round, what came and what did not. */
  came: string;
  missing: string;
  /** The counts of the ledger that say what was owed and what came. */
  share: { part: string; whole: string };
  /** Replaces options by those of one start. */
  options(size: SlotSize): Partial<O>;
  /** The share of a slot that the load of a round is spread over; left out where all of it leaves at once. */
  spreadShare?: number;
  /** The shortest slot in which the load of a round fits; left out where any will do. */
  leastSlotMs?(options: O): number;
  /** Why these options can't follow slots, in words: option, expected, received. Such a comparison is refused. */
  contradictions?(options: O): readonly string[];
}

/** One start of a paired comparison; `roundMs` is the time of all its targets' slots together. */
export interface SlotSize {
  rounds: number;
  warmUp: number;
  roundMs: number;
}

/** The counts of a complete run that make it a failure, unless a threshold expects them. */
export interface Failures {
  /** Counts that must not be zero, each with its opposites: a threshold on any of them can expect it. */
  nothing: readonly { got: string; missing: readonly string[] }[];
  /** Counts of publishes that the target did not take, which must be zero. */
  untaken?: readonly string[];
}

/** A test: what to do to a target, as data and stages, and what to read from what came back. */
export interface Scenario<S extends z.ZodObject = z.ZodObject> extends Declaration<S> {
  /** Verbs that these options need of a protocol; without options, those that any need. */
  needs(options?: z.output<S>): readonly Verb[];
  /** Replaces options for a target without a publish address; left out where that is needed. */
  unpublished?(options: z.output<S>): Partial<z.output<S>>;
  rounds?: RoundPlan<z.output<S>>;
  /** Flags of other scenarios that make no sense here, and why, in a sentence. */
  without?: Readonly<Record<string, string>>;
  /** How many of its clients arrive while traffic flows: the first gate does not await them. */
  arriving?(options: z.output<S>): number;
  disruption?: Disruption<z.output<S>>;
  /** How many clients of a shard publish beside its audience; left out where none does. */
  publishingClients?(options: z.output<S>, load: LoadOptions): number;
  /** Left out where its load can't follow the slots of a paired comparison. */
  slots?: Slots<z.output<S>>;
  /** Why these options can't go together, in words: option, expected, received. Such a run is refused beforehand. */
  contradictions?(options: z.output<S>): readonly string[];
  /** Why the run ends early: the target takes no publish. Left out where the target is meant to be away. */
  takesNone?(figures: Readonly<Record<string, number>>): string | undefined;
  /** Left out where nothing is to arrive: to be refused is the finding. */
  failures?: Failures;
  demand(options: z.output<S>, load: LoadOptions): Demand;
  /** By metric, how many independent samples a run has at most; without a number it is not known beforehand. */
  independentAtMost(options: z.output<S>): Readonly<Record<string, number>>;
  /** Replaces options so that the load at that rate lasts so long; left out where its own stages say how long. */
  lasting?(options: z.output<S>, ratePerSecond: number, ms: number): Partial<z.output<S>>;
  /** The options that make a run larger and leave its load alike as far as possible, the best first. */
  sizes: readonly (keyof z.output<S> & string)[];
  /** Out of the sums over all shards: deliveries owed and not there at the end of each second since the load began. */
  backlog?(sums: Sums): number[];
  /** What a worker does in its role; only a worker loads its code. */
  audience(context: AudienceContext<z.output<S>>): Promise<Role>;
  publisher(context: PublisherContext<z.output<S>>): Promise<Role>;
  ledger(sums: Sums): Ledger;
  /** Thresholds of every run; a user's threshold on the same count or figure replaces one. */
  thresholds?: readonly string[];
}
