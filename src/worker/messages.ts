import type { EngineUse } from '../contract/engine.js';
import type { WorkerSelf } from '../contract/shard.js';
import type { Talk } from '../measure/causes.js';
import type { ClockRelation } from '../measure/samples/mark-table.js';
import { createHistogram, eachValue, type Samples } from '../measure/samples/samples.js';
import type { Job } from '../scenarios/job.js';
import type { GiveUp, RoleReport } from '../scenarios/scenario.js';

export type RoleName = 'audience' | 'publisher';

/** A checked job as plain data, with the scenario by name. */
export type PlainJob = Omit<Job, 'scenario'> & { scenario: string };

/** Files of the user's modules on this machine. */
export interface UserFiles {
  /** Those of the job's modules, in the same order. */
  modules: readonly string[];
  /** That of its protocol. Left out for a protocol of ours. */
  protocolFile?: string | undefined;
}

export interface WorkerAssignment extends UserFiles {
  role: RoleName;
  index: number;
  clientCount: number;
  firstClient: number;
  job: PlainJob;
  /** Start of the job, on the clock that all threads share. Workers send figures in step with it. */
  startedNs: number;
  board: { size: number; buffer: SharedArrayBuffer };
  /** Declared sends of the shard, whose numbers begin with `first`. */
  marks?: { size: number; first: number; buffer: SharedArrayBuffer };
}

/** Samples in transfer between threads. A histogram becomes a list of values, each followed by its count. */
export type MovedSamples = Exclude<Samples, { kind: 'histogram' }> | { kind: 'histogram'; pairs: Float64Array };

/** A `RoleReport` that can move between threads. */
export interface WorkerReport extends Omit<RoleReport, 'samples'> {
  samples: Record<string, MovedSamples>;
  self: WorkerSelf;
  engines: EngineUse[];
  talk: Talk;
}

export type ToWorker =
  | { type: 'stage'; name: string; startAtNs: number; round: number }
  | { type: 'endStage' }
  | { type: 'gateOpened'; name: string }
  | { type: 'abort' }
  /** Sends of another shard, and how its clock relates to this one. */
  | { type: 'sends'; buffer: SharedArrayBuffer; clock: ClockRelation }
  | { type: 'report' };

export type FromWorker =
  /** Confirms that the worker has received the stage. All later events belong to it. */
  | { type: 'stageBegun' }
  | { type: 'stageDone' }
  /** `loopDelayMs`: worst delay of this second or the one that ended. `bins`: changed bins, once a second. */
  | { type: 'progress'; figures: Record<string, number>; atNs: number; loopDelayMs: number; bins?: number[] }
  | { type: 'log'; text: string }
  | { type: 'giveUp'; reason: GiveUp }
  | { type: 'report'; report: WorkerReport };

export function withReport(
  { counts, causes, samples, ...rest }: RoleReport,
  more: Partial<Pick<RoleReport, 'counts' | 'causes' | 'samples'>> = {},
): RoleReport {
  return {
    ...rest,
    counts: { ...counts, ...more.counts },
    causes: { ...causes, ...more.causes },
    samples: { ...samples, ...more.samples },
  };
}

export function moveOut(
  report: RoleReport,
  measured: Pick<WorkerReport, 'self' | 'engines' | 'talk'>,
): { report: WorkerReport; buffers: ArrayBuffer[] } {
  const samples: WorkerReport['samples'] = {};
  const buffers = new Set(Object.values(report.series).map(({ buffer }) => buffer));
  for (const [metric, recorded] of Object.entries(report.samples)) {
    const moved = recorded.kind === 'histogram' ? { kind: recorded.kind, pairs: pairsOf(recorded) } : recorded;
    samples[metric] = moved;
    if (moved.kind === 'raw') buffers.add(moved.values.buffer);
    if (moved.kind === 'histogram') buffers.add(moved.pairs.buffer);
  }
  // A shared buffer can't be transferred and need not be.
  return {
    report: { ...report, samples, ...measured },
    buffers: [...buffers].filter((each) => each instanceof ArrayBuffer),
  };
}

function pairsOf(samples: Samples): Float64Array {
  const pairs: number[] = [];
  eachValue(samples, (us, times) => pairs.push(us, times));
  return Float64Array.from(pairs);
}

/** Restores samples that another thread moved here. */
export function moveIn(moved: MovedSamples): Samples {
  if (moved.kind !== 'histogram') return moved;
  const { kind, pairs } = moved;
  const histogram = createHistogram();
  for (let at = 0; at < pairs.length; at += 2) histogram.recordValueWithCount(pairs[at]!, pairs[at + 1]!);
  return { kind, histogram };
}
