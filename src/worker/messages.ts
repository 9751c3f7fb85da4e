import type { EngineUse } from '../contract/engine.js';
import type { WorkerSelf } from '../contract/shard.js';
import type { Talk } from '../measure/causes.js';
import { createHistogram } from '../measure/samples/histogram.js';
import { eachValue, type Samples } from '../measure/samples/samples.js';
import { Tally } from '../measure/samples/tally.js';
import type { Job } from '../scenarios/job.js';
import type { GiveUp, RoleReport } from '../scenarios/scenario.js';

export type RoleName = 'audience' | 'publisher';

/** A checked job as plain data, with the scenario by name. */
export type PlainJob = Omit<Job, 'scenario'> & { scenario: string };

export interface WorkerAssignment {
  role: RoleName;
  index: number;
  /** Clients of this worker; 0 for the publisher. */
  clientCount: number;
  /** Number in the whole run of the first of them. */
  firstClient: number;
  job: PlainJob;
  /** When the job started, on the clock that all threads share: workers send figures in step with it. */
  startedNs: number;
  board: { size: number; buffer: SharedArrayBuffer };
}

/** Samples between threads: their buffer is transferred. Other kinds are their values, each followed by its count. */
export type MovedSamples =
  | { kind: 'raw'; values: Uint32Array }
  | { kind: Exclude<Samples['kind'], 'raw'>; pairs: Float64Array };

/** A `RoleReport` that can move between threads. */
export interface WorkerReport extends Omit<RoleReport, 'samples'> {
  samples: Record<string, MovedSamples>;
  self: WorkerSelf;
  engines: EngineUse[];
  talk: Talk;
}

export type ToWorker =
  | { type: 'stage'; name: string; startAtNs: number; round: number }
  /** Ends the running stage. What is under way goes on. */
  | { type: 'endStage' }
  | { type: 'abort' }
  | { type: 'report' };

export type FromWorker =
  /** The worker has heard of the stage: what happens from now on, happens in it. */
  | { type: 'stageBegun' }
  | { type: 'stageDone' }
  /** `loopDelayMs`: the worst of this second or the one that ended. `bins`: once a second, those that changed. */
  | { type: 'progress'; figures: Record<string, number>; atNs: number; loopDelayMs: number; bins?: number[] }
  | { type: 'log'; text: string }
  | { type: 'giveUp'; reason: GiveUp }
  | { type: 'report'; report: WorkerReport };

/** A report with what a worker tells beside its role. */
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

/** A report ready for `postMessage`, and the buffers to transfer with it. */
export function moveOut(
  report: RoleReport,
  measured: Pick<WorkerReport, 'self' | 'engines' | 'talk'>,
): { report: WorkerReport; buffers: ArrayBuffer[] } {
  const samples: WorkerReport['samples'] = {};
  const buffers = new Set(Object.values(report.series).map(({ buffer }) => buffer));
  for (const [metric, recorded] of Object.entries(report.samples)) {
    const moved = recorded.kind === 'raw' ? recorded : { kind: recorded.kind, pairs: pairsOf(recorded) };
    samples[metric] = moved;
    buffers.add(moved.kind === 'raw' ? moved.values.buffer : moved.pairs.buffer);
  }
  // A shared buffer can't be transferred, and need not be.
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

/** Samples that another thread moved here. */
export function moveIn(moved: MovedSamples): Samples {
  if (moved.kind === 'raw') return moved;
  const { kind, pairs } = moved;
  const [tally, histogram] = [new Tally(), createHistogram()];
  for (let at = 0; at < pairs.length; at += 2) {
    const [us, times] = [pairs[at] as number, pairs[at + 1] as number];
    if (kind === 'tally') tally.put(us, times);
    else histogram.recordValueWithCount(us, times);
  }
  return kind === 'tally' ? { kind, tally } : { kind, histogram };
}
