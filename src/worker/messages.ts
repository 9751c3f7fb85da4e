import type { WorkerSelf } from '../contract/shard.js';
import type { GiveUp, RoleReport } from '../scenarios/scenario.js';

export type RoleName = 'audience' | 'publisher';

/** What a worker thread is started with. The job is the body as it was posted: each worker parses it for itself. */
export interface WorkerAssignment {
  role: RoleName;
  index: number;
  /** Clients of this worker; 0 for the publisher. */
  clientCount: number;
  /** Number in the whole run of the first of them. */
  firstClient: number;
  job: unknown;
  /** Of the job, on the clock that all threads share: figures are told in step with it. */
  startedNs: number;
  board: { size: number; buffer: SharedArrayBuffer };
}

/** A `RoleReport` that can cross threads: samples as encoded bodies. */
export interface ReportMessage extends Omit<RoleReport, 'samples'> {
  samples: Record<string, Uint8Array>;
  self: WorkerSelf;
}

export type ToWorker =
  | { type: 'stage'; name: string; startAtNs: number; round: number }
  | { type: 'abort' }
  | { type: 'report' };

export type FromWorker =
  | { type: 'stageDone'; name: string }
  /**
   * `loopDelayMs`: how much later than asked a timer of this loop ran, at the worst in the second of the job that goes on or has just ended. `bins`, of an
   * audience that has them: once a second those of its headline metric that changed (`measure/samples/bins.ts`).
   */
  | { type: 'progress'; figures: Record<string, number>; atNs: number; loopDelayMs: number; bins?: number[] }
  | { type: 'log'; text: string }
  | { type: 'giveUp'; reason: GiveUp }
  | { type: 'report'; report: ReportMessage };
