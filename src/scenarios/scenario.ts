import type { z } from 'zod';
import type { Demand } from '../contract/job.js';
import type { UserCode } from '../contract/shard.js';
import type { Declaration, StageSpec } from '../measure/declaration.js';
import type { Ledger } from '../measure/ledger.js';
import type { TargetSlots } from '../measure/paired/slots.js';
import type { MarkTable, SendColumns } from '../measure/samples/mark-table.js';
import type { Recorder, StampTable } from '../measure/samples/recorder.js';
import type { Samples } from '../measure/samples/samples.js';
import type { ClientEvents, Clients, Verb } from '../protocols/protocol.js';
import type { FlowHooks, FlowOptions } from './flow/options.js';
import type { LoadOptions } from './load-options.js';
import type { StreamTable } from './traffic/streams.js';

/** The stage, in every scenario, in which clients connect. */
export const rampStage = 'ramp';

/** Declares a measured stage behind a gate. */
export function measured(name: string, gate: string, summary: string): StageSpec {
  return { name, gate, isMeasured: true, summary };
}

/** Declares the measured stage in which nothing new is sent. */
export function drain(summary: string): StageSpec {
  return { ...measured('drain', 'drain', summary), isClosing: true };
}

/** Gate at which the driver gives each shard the declared sends of the others. */
export const exchangeGate = 'exchange';

/** Plans how often the stages of a round are repeated. */
export interface RoundPlan<O = Record<string, unknown>> {
  count(options: O): number;
  /** Returns the clients asked for in the rounds up to this one, counted from 0. */
  clients(options: O, round: number): number;
  /** Returns the reason to begin no further round, from the live figures of all shards, or undefined to go on. */
  enough?(options: O, figures: Readonly<Record<string, number>>, round: number): string | undefined;
}

/** Holds the counts and records of a worker's role. Counts and causes add up over workers and shards. */
export interface RoleReport {
  counts: Record<string, number>;
  /** By occasion (`connect`, `close`, `publish`), then by cause. */
  causes: Record<string, Record<string, number>>;
  samples: Record<string, Samples>;
  /** Per measured broadcast, and the blocks of metrics (`blocks.ts`); they add up element by element. */
  series: Record<string, Uint32Array>;
  /** Events per second since the job's start; they add up second by second. */
  timeline: Record<string, number[]>;
  /** Durations for a worker, in milliseconds. The longest of all workers divides the sums. */
  longestMs?: Record<string, number>;
}

/** Holds the reports of all workers and shards, added up. */
export type Sums = Pick<RoleReport, 'counts' | 'causes' | 'series' | 'timeline' | 'longestMs'>;

export interface RoleContext<O> {
  options: O;
  load: LoadOptions;
  stream: string;
  /** Left out if all clients have the one stream. */
  streams?: StreamTable;
  board: StampTable;
  slice: { index: number; of: number };
  /** Seed of every random choice of the run; the same for all workers and shards. */
  seed: number;
  /** Slots of the broadcasts or sends in a paired comparison; left out if they are evenly due. */
  slots?: TargetSlots;
  /** When each broadcast is due, in milliseconds after the start; left out if they are evenly due. */
  dueMs?: Float64Array;
  nowNs(): number;
  /** Resolves after about `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  recorder(): Recorder;
  /** Makes clients of this worker: the audience's own, or the `publishingClients` of a shard for a publisher. */
  openClients(events: ClientEvents): Promise<Clients>;
  log(text: string): void;
  giveUp(reason: GiveUp): void;
}

/** Why a worker cannot go on. The shard stops when all of a role have given up, or a flow stops the run. */
export interface GiveUp {
  code: 'targetGone' | 'flowStopped';
  evidence: string;
}

export interface AudienceContext<O> extends RoleContext<O> {
  clientCount: number;
  totalClients: number;
  /** Number in the whole run of this worker's client 0. Draws for a client depend on its number alone. */
  firstClient: number;
  /** Returns how long this loop has surely slept so far, in nanoseconds. Meanwhile nothing waited for the rig. */
  sleptNs(): number;
  /** Declared sends of this shard. Left out if the scenario declares none. */
  marks?: MarkTable;
  /** Makes the role that runs the flows of the job, or the flow of its scenario. */
  flow(options: FlowOptions, hooks?: FlowHooks): Promise<Role>;
}

/** Marks a broadcast that gets no answer. It counts as acked once it is written. */
export const written = Symbol('written');

/** The outcome of a publish: an HTTP status, the cause of a failure, or `written`, as no answer comes. */
export type PublishAnswer = number | string | typeof written;

/** Returns true if the target accepted the publish, or if it was written and gets no answer. */
export function isTaken(answer: PublishAnswer): boolean {
  return answer === written || (typeof answer === 'number' && answer >= 200 && answer < 300);
}

/** Receives the events of a publish on its way. */
export interface PublishEvents {
  sent?(): void;
  /** Called right after the kernel took the last byte, or later with that instant; never if it is unknown. */
  written?(atNs?: number): void;
  /** Called when the answer was read. It can have been readable since `readableFromNs`. */
  answered?(readableFromNs: number): void;
  /** Called with the duration of the target's own publish call, in microseconds, if the target reports it. */
  took?(us: number): void;
}

export interface PublisherContext<O> extends RoleContext<O> {
  /** Resolves once the clock has passed `atNs`, or at once on abort. */
  until(atNs: number, signal: AbortSignal): Promise<void>;
  /** Publishes one broadcast, by a request or by a client. `stream`: `RoleContext.stream` by default. Never rejects. */
  publish(data: string, events?: PublishEvents, stream?: string): Promise<PublishAnswer>;
  /** Properties of clients that publish: they subscribe before, and they get an answer. Left out if they do neither. */
  byClients?: { joins: boolean; isAnswered: boolean } | undefined;
  /** Hands over a batch that the target publishes by itself, one broadcast every 1/`ratePerSecond` s. Never rejects. */
  publishBatch?(data: readonly string[], ratePerSecond: number): Promise<BatchAnswer>;
  /** Publishes several broadcasts in one request, at most `most`. Left out if the address takes none. */
  together?: { most: number; publish(data: readonly string[]): Promise<number | string> };
  payload(sequence: number): string;
}

/** The target's answer to a batch: the time it took by its own clock, a status, or a cause. */
export type BatchAnswer = { tookMs: number } | number | string;

export interface Role {
  /** Runs a stage of a round, from 0. `startAtNs` is the shard's common start. Ends early, without error, on abort. */
  stage(name: string, startAtNs: number, signal: AbortSignal, round?: number): Promise<void>;
  progress(): Record<string, number>;
  /** Returns figures that change while this worker has a load. Left out if its live figures already change. */
  work?(): Record<string, number>;
  /** Returns samples so far of the headline's first metric by the bins of `blocks.ts`, if it is timed here. */
  bins?(): Uint32Array;
  engines?: Clients['engines'];
  /** Returns what the code of flows took of this loop. Undefined if none ran. */
  userCode?(): UserCode | undefined;
  /** A gate at which clients of a flow wait is open, by its whole name (`rounds.ts`). */
  gateOpened?(gate: string): void;
  /** Returns the measurements. Called once, at the end or after an abort. Samples are by metric, or by an own name. */
  report(): RoleReport;
  learn?(sends: SendColumns): void;
  dispose?(): void;
}

/** The report of a role that did nothing. */
export const nothingToReport: RoleReport = { counts: {}, causes: {}, samples: {}, series: {}, timeline: {} };

/** The publisher of a scenario in which clients do all the sending. */
export const noPublisher: Role = {
  stage: async () => undefined,
  progress: () => ({}),
  report: () => nothingToReport,
};

interface AnyDisruption<O> {
  gate: string;
  /** Returns the stop signal for managed processes. External ones have a restart command or webhook. */
  signal(options: O): 'SIGTERM' | 'SIGKILL';
  /** Returns why the disruption failed, from the counts of all shards and of the driver, or undefined if it did not. */
  failed(counts: Readonly<Record<string, number>>, options: O): FailedDisruption | undefined;
}

/** Describes a disruption without a result: nothing shows that it happened, or it outlasted the load. */
export interface FailedDisruption {
  code: 'noRestart' | 'restartOutlasted';
  evidence: string;
}

/** Describes a redeploy of an application, which lives in the target or, as its own processes, in front of it. */
export interface Redeploy {
  application?: 'embedded' | 'standalone' | undefined;
  applicationProcesses: number;
  isRolling: boolean;
  /** Rolling: milliseconds from one process serving again to the stop of the next. */
  pauseMs: number;
  /** Milliseconds that a process stays away before it is started again. */
  downMs: number;
  /** Milliseconds from the order to the instant the last broadcast is due. */
  leftMs: number;
}

/** Describes an action of the driver once every shard is at that gate. The next gate stays shut until it is done. */
export type Disruption<O = Record<string, unknown>> =
  | (AnyDisruption<O> & { kind: 'restartTarget' })
  | (AnyDisruption<O> & { kind: 'redeployApplication'; redeploy(options: O): Redeploy });

/** Holds the counts of a complete run that make it a failure, unless a threshold expects them. */
export interface Failures {
  /** Counts that must not be zero (unless `of` is), each with its opposites: a threshold can expect those. */
  nothing: readonly { got: string; of?: string; missing: readonly string[] }[];
  /** Counts of publishes that the target did not take, which must be zero. */
  untaken?: readonly string[];
}

/** Describes a scenario's part in a paired comparison. A round is one broadcast, or one send of each client. */
export interface Slots<O = Record<string, unknown>> {
  stage: string;
  /** The metric, with blocks by round, that compares the targets, and its lower bound. */
  metric: string;
  atLeast: string;
  /** The series that count, by round, the arrivals and the losses. */
  came: string;
  missing: string;
  /** The counts of the ledger that hold the arrivals (`part`) and the deliveries owed (`whole`). */
  share: { part: string; whole: string };
  options(size: SlotSize): Partial<O>;
  /** Share of a slot over which the load of a round is spread. Left out if all of it leaves at once. */
  spreadShare?: number;
  /** Returns the shortest slot in which the load of a round fits, in milliseconds. Left out if any slot will do. */
  leastSlotMs?(options: O): number;
  /** Returns why these options cannot follow slots, in words: option, expected, received. */
  contradictions?(options: O): readonly string[];
}

/** Describes one start of a paired comparison. `roundMs` is the time of all its targets' slots together. */
export interface SlotSize {
  rounds: number;
  warmUp: number;
  roundMs: number;
}

/** Describes a test: its actions on a target, as data and stages, and its readings of the results. */
export interface Scenario<S extends z.ZodObject = z.ZodObject> extends Declaration<S> {
  /** Returns the verbs of a protocol that these options need; without options, those that any options need. */
  needs(options?: z.output<S>): readonly Verb[];
  /** Replaces options for a target without a publish address. Left out if the scenario needs one. */
  unpublished?(options: z.output<S>): Partial<z.output<S>>;
  rounds?: RoundPlan<z.output<S>>;
  /** Set if its clients run files of the user, of which a job needs at least one. */
  runsModules?: true;
  /** Flags of other scenarios that make no sense here, each with the reason in a sentence. */
  without?: Readonly<Record<string, string>>;
  /** Returns how many of its clients arrive while traffic flows. The first gate does not await them. */
  arriving?(options: z.output<S>): number;
  disruption?: Disruption<z.output<S>>;
  /** Returns how many clients of a shard publish beside its audience. Left out if none does. */
  publishingClients?(options: z.output<S>, load: LoadOptions): number;
  /** Returns the most declared sends of each of so many shards. Left out if its sends are broadcasts of the run. */
  mostMarks?(options: z.output<S>, shards: number): number;
  /** Left out if its load cannot follow the slots of a paired comparison. */
  slots?: Slots<z.output<S>>;
  /** Returns why these options cannot go together, in words: option, expected, received. */
  contradictions?(options: z.output<S>, load?: Pick<LoadOptions, 'client'>): readonly string[];
  /** Returns why the run ends early: the target takes no publish. Left out if the target is meant to be away. */
  takesNone?(figures: Readonly<Record<string, number>>): string | undefined;
  /** Left out if nothing has to arrive, because a refusal is the finding. */
  failures?: Failures;
  demand(options: z.output<S>, load: LoadOptions): Demand;
  /** Returns, by metric, the largest number of independent samples of a run, if it is known beforehand. */
  independentAtMost(options: z.output<S>): Readonly<Record<string, number>>;
  /** Replaces options so that the load at that rate lasts `ms`. Left out if its own stages set the duration. */
  lasting?(options: z.output<S>, ratePerSecond: number, ms: number): Partial<z.output<S>>;
  /** Options that make a run larger and leave its load alike as far as possible, the best first. */
  sizes: readonly (keyof z.output<S> & string)[];
  /** Returns, from the sums over all shards, the missing deliveries at the end of each second since the load began. */
  backlog?(sums: Sums): number[];
  /** Makes the role of a worker. */
  audience(context: AudienceContext<z.output<S>>): Promise<Role>;
  publisher(context: PublisherContext<z.output<S>>): Promise<Role>;
  ledger(sums: Sums): Ledger;
  /** Thresholds of every run. A user's threshold on the same count or figure replaces one. */
  thresholds?: readonly string[];
}
