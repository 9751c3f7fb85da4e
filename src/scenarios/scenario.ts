import type { z } from 'zod';
import type { Demand } from '../contract/limits.js';
import type { Declaration } from '../measure/declaration.js';
import type { Ledger } from '../measure/ledger.js';
import type { Board } from '../measure/samples/board.js';
import type { Recorder } from '../measure/samples/recorder.js';
import type { Samples } from '../measure/samples/samples.js';
import type { ClientEvents, Clients, Verb } from '../protocols/protocol.js';
import type { LoadOptions } from './load-options.js';

/** The stage, of whatever scenario, in which clients come in. */
export const rampStage = 'ramp';

/** How often the stages of a round are repeated. */
export interface Rounds<O = Record<string, unknown>> {
  count(options: O): number;
  /** Clients asked for in the rounds up to that one, counted from 0. */
  clients(options: O, round: number): number;
  /** Out of the live figures of all shards when the round before is over, in words, why that round and all further ones are not to be. */
  enough?(options: O, figures: Readonly<Record<string, number>>, round: number): string | undefined;
}

/** What a role of a worker counted and recorded. Counts and causes add up over workers and shards. */
export interface RoleReport {
  counts: Record<string, number>;
  /** By occasion (`connect`, `close`, `publish`), then by cause. */
  causes: Record<string, Record<string, number>>;
  samples: Record<string, Samples>;
  /** Per broadcast of the board, warm-up excluded, and the blocks of metrics (`measure/samples/blocks.ts`); they add up element by element. */
  series: Record<string, Uint32Array>;
  /** Events per second since the job's start; they add up second by second. */
  timeline: Record<string, number[]>;
  /** How long something lasted for a worker, in milliseconds; of all workers and shards the longest stands. What adds up is divided by it, as rates of unlike spans do not add up. */
  longestMs?: Record<string, number>;
}

/** What comes back from all workers and shards, added up. */
export type Sums = Pick<RoleReport, 'counts' | 'causes' | 'series' | 'timeline' | 'longestMs'>;

/** What both roles are given. */
export interface RoleContext<O> {
  options: O;
  load: LoadOptions;
  stream: string;
  board: Board;
  /** The share of the whole run that this shard has. */
  slice: { index: number; of: number };
  /** Of every random choice of the run; the same for all workers and shards. */
  seed: number;
  nowNs(): number;
  /** Resolves after about `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  recorder(): Recorder;
  /** Makes clients of this worker, of the kind that the job names: an audience its own, a publisher up to `maxInFlight`, which are no part of the audience. */
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
  /** Clients of this worker and of the whole run. */
  clientCount: number;
  totalClients: number;
  /** Number in the whole run of this worker's client 0: what is drawn for a client by its number does not change with how clients are split. */
  firstClient: number;
}

export interface PublisherContext<O> extends RoleContext<O> {
  /** Resolves once the clock has passed `atNs`, to a fraction of a millisecond, or at once when the signal is aborted. */
  until(atNs: number, signal: AbortSignal): Promise<void>;
  /**
   * Publishes one broadcast. Calls `sent` the moment before the request is handed to a connected socket. Resolves with the HTTP status that the
   * target answered, or with the cause for which there was no answer; never rejects. Calls `took`, where the target tells it, with the microseconds
   * that its own publish call took.
   */
  publish(data: string, sent: () => void, took?: (us: number) => void): Promise<number | string>;
  /**
   * Hands over a batch that the target publishes by itself: the first broadcast at once, every next one 1/`ratePerSecond` s later.
   * Resolves when the target has answered; never rejects. Only where the job names such an endpoint.
   */
  publishBatch?(data: readonly string[], ratePerSecond: number): Promise<BatchAnswer>;
  payload(sequence: number): string;
}

/** What the target said of a batch: that it has published it, and how long that took by its own clock; or the status or the cause for which it has not. */
export type BatchAnswer = { tookMs: number } | number | string;

/** A worker's part in a scenario. */
export interface Role {
  /** Runs one stage, of that round, counted from 0. `startAtNs` is the shard's common start of it. Ends early, without error, when the signal is aborted. */
  stage(name: string, startAtNs: number, signal: AbortSignal, round?: number): Promise<void>;
  /**
   * Live figures of this worker; they add up over workers and shards. Those that gauges are read from have one name in all scenarios: `offline`, ready
   * clients that have no network now; `received`, deliveries in time; `published` and `acked`, broadcasts sent, and taken by the target; `sent`,
   * messages of clients; `awaited`, deliveries owed and not there, where workers know them. Warm-up is in all of them.
   */
  progress(): Record<string, number>;
  /** What moves while this worker has a load; left out where its live figures tell that. */
  work?(): Record<string, number>;
  /**
   * Samples of the headline's first metric by the bins of `measure/samples/blocks.ts`, all that came so far; they add up over workers and shards. Only where the
   * scenario has a course of that metric over time, and only of the audience.
   */
  bins?(): Uint32Array;
  /**
   * What was measured so far; called once, after the last stage or after an abort. Samples by the name of a metric or, for a part of one, by a name of
   * the role's own.
   */
  report(): RoleReport;
  dispose(): void;
}

interface AnyDisruption<O> {
  gate: string;
  /** How processes of ours are ended; what was brought is restarted by its own command or webhook. */
  signal(options: O): 'SIGTERM' | 'SIGKILL';
  /** Out of the counts of all shards and of the driver, why it was none, which makes a failed run; undefined where it was one. */
  failed(counts: Readonly<Record<string, number>>, options: O): FailedDisruption | undefined;
}

/** A disruption that tells nothing of the target: nothing shows it to have happened, or it was not over when the load was. */
export interface FailedDisruption {
  code: 'noRestart' | 'restartOutlasted';
  /** In words. */
  evidence: string;
}

/** How an application is redeployed that lives in the target or, as processes of its own, in front of it. */
export interface Redeploy {
  /** Undefined: as the target is made for. */
  application: 'embedded' | 'standalone' | undefined;
  /** Processes of a standalone application. */
  applicationProcesses: number;
  isRolling: boolean;
  /** Rolling: from one process serving again to the end of the next. */
  pauseMs: number;
  /** How long a process stays away before it is started again. */
  downMs: number;
  /** From the order to the instant the last broadcast is due. */
  leftMs: number;
}

/** What the driver does in the middle of a run, once every shard stood before a gate and it was opened. The next gate stays shut until it is done. */
export type Disruption<O = Record<string, unknown>> =
  | (AnyDisruption<O> & { kind: 'restartTarget' })
  | (AnyDisruption<O> & { kind: 'redeployApplication'; redeploy(options: O): Redeploy });

/** What makes a failure of a run that went to its end, by counts of its ledger, unless a threshold expects that count. */
export interface Failures {
  /** Counts that must not be zero, each with the one that holds what is missing: a threshold on either can expect it. */
  nothing: readonly { got: string; missing: string }[];
  /** Counts of publishes that the target did not take, which must be zero. */
  untaken?: readonly string[];
}

/** A test: what to do to a target, as data and stages, and what to read from what came back. */
export interface Scenario<S extends z.ZodObject = z.ZodObject> extends Declaration<S> {
  /** Verbs that these options need of a protocol; without options, those that any need. */
  needs(options?: z.output<S>): readonly Verb[];
  rounds?: Rounds<z.output<S>>;
  disruption?: Disruption<z.output<S>>;
  /** Why these options can't go together, in words: option, expected, received. Such a run is refused beforehand. */
  contradictions?(options: z.output<S>): readonly string[];
  /** The figure, live and in the report, of clients that are ready; held against the clients asked for before the first gate opens. */
  readyCount: string;
  /** The share of the clients asked for that must be ready, or the run would be another test than was asked for; 0 where any number of them will do. */
  readyShare: number;
  /** Out of the live figures of all shards, in words, that the target takes no publish: the run ends by it. Left out where the target is meant to be away. */
  takesNone?(figures: Readonly<Record<string, number>>): string | undefined;
  /** Left out where publishes and clients are meant to fail, or where to be refused is the finding. */
  failures?: Failures;
  demand(options: z.output<S>, load: LoadOptions): Demand;
  /** By metric, how many samples such a run has at most; without a number it is not known beforehand. */
  samplesAtMost(options: z.output<S>): Readonly<Record<string, number>>;
  /** Out of the sums over all shards: deliveries owed and not there at the end of each second since the load began. */
  backlog?(sums: Sums): number[];
  audience(context: AudienceContext<z.output<S>>): Role;
  publisher(context: PublisherContext<z.output<S>>): Role;
  /** The ledger of the whole run out of the sums over all shards. */
  ledger(sums: Sums): Ledger;
  /** Thresholds that every run of it has; one that the user sets for the same count or figure stands in its place. */
  promises?: readonly string[];
}
