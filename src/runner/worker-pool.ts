import { Worker, type WorkerOptions } from 'node:worker_threads';
import { moduleEnvironment } from '../contract/modules.js';
import { addBins, binsPerBlock, putBins } from '../measure/samples/blocks.js';
import type { ClockRelation } from '../measure/samples/mark-table.js';
import { MarkTable } from '../measure/samples/mark-table.js';
import { StampTable } from '../measure/samples/recorder.js';
import { sumCounts } from '../measure/samples/sample-sum.js';
import { shareOf, shareStart } from '../measure/share.js';
import type { Job } from '../scenarios/job.js';
import type { GiveUp } from '../scenarios/scenario.js';
import { packageFile } from '../units/package-files.js';
import type { FromWorker, RoleName, ToWorker, UserFiles, WorkerAssignment, WorkerReport } from '../worker/messages.js';
import { placeOf } from './stuck-line.js';

/** V8 keeps its young generation. At 6 MB instead of 48, an idle wire client needs half the memory at the same CPU. */
const wireMemory = { maxYoungGenerationSizeMb: 6 };

/** Seconds without new figures after which a worker counts as held by the user's code: to load it takes longer. */
const stuckSeconds = { loading: 30, running: 5 };

export interface PoolEvents {
  log(text: string): void;
  gaveUp(reason: GiveUp): void;
  broke(error: Error): void;
}

class WorkerHandle {
  figures: Record<string, number> = {};
  /** Time at which it sent its figures; 0 before the first. */
  sentNs = 0;
  /** Worst delay of its loop since the last call of `second`. */
  loopDelayMs = 0;
  /** All samples of its headline metric so far. */
  bins: Uint32Array | undefined;
  report: WorkerReport | undefined;
  /** Looks since its last figures. A machine that sleeps adds one at most. */
  silentLooks = 0;
  hasGivenUp = false;
  /** Set if a user's code holds it, so that it was given up. */
  isStuck = false;
  hasFailed = false;
  isGone = false;
  hear: (() => void) | undefined;
  settle: (() => void) | undefined;

  constructor(
    readonly role: RoleName,
    readonly index: number,
    readonly thread: Worker,
  ) {}

  /** Looks without figures after which it may be stuck. */
  get mostSilentLooks(): number {
    return this.sentNs === 0 ? stuckSeconds.loading : stuckSeconds.running;
  }
}

/** Runs the worker threads of one job: one publisher, and subscribers on event loops of their own. */
export class WorkerPool {
  readonly #handles: WorkerHandle[];
  /** Declared sends of this shard; undefined for a scenario without. */
  readonly marks: MarkTable | undefined;
  readonly #looks: NodeJS.Timeout | undefined;

  /**
   * `startedNs`: start of the job. Workers send figures in step with it. `entry`: program of a thread. `lookEveryMs`:
   * time between looks at workers that the user's code may hold.
   */
  constructor(
    job: Job,
    { workers, ...files }: { workers: number } & UserFiles,
    startedNs: number,
    private readonly events: PoolEvents,
    private readonly entry: string | URL = packageFile('dist/src/worker/main.js'),
    lookEveryMs = 1000,
  ) {
    const { size, buffer } = new StampTable(job.demand.broadcasts);
    this.marks = marksOf(job);
    const shared = {
      job: { ...job, scenario: job.scenario.name },
      startedNs,
      ...files,
      board: { size, buffer },
      ...(this.marks && { marks: { size: this.marks.size, first: this.marks.first, buffer: this.marks.buffer } }),
    };
    const all = files.modules.concat(files.protocolFile ?? []);
    const own = {
      resourceLimits: job.load.client === 'wire' ? wireMemory : {},
      ...(all.length > 0 && { env: moduleEnvironment(process.env) }),
    };
    const clients = shareOf(job.demand.clients, job.slice.index, job.slice.of);
    const first = shareStart(job.demand.clients, job.slice.index, job.slice.of);
    const audience = (index: number): WorkerAssignment => ({
      ...shared,
      role: 'audience',
      index,
      clientCount: shareOf(clients, index, workers),
      firstClient: first + shareStart(clients, index, workers),
    });
    const publisher = { ...shared, role: 'publisher', index: 0, clientCount: 0, firstClient: first } as const;
    const assignments = [publisher, ...Array.from({ length: workers }, (_, index) => audience(index))];
    this.#handles = assignments.map((assignment) => this.#start(assignment, own));
    if (all.length > 0) this.#looks = setInterval(() => this.#lookForStuck(all), lookEveryMs);
  }

  #start(assignment: WorkerAssignment, own: WorkerOptions): WorkerHandle {
    const { role, index } = assignment;
    const thread = new Worker(this.entry, { workerData: assignment, ...own });
    const handle = new WorkerHandle(role, index, thread);
    thread.on('message', (message: FromWorker) => this.#receive(handle, message));
    thread.on('error', (error: Error) => {
      handle.hasFailed = true;
      this.events.broke(error);
    });
    thread.on('exit', (code) => {
      handle.isGone = true;
      if (!handle.report && !handle.hasFailed && !handle.isStuck)
        this.events.broke(new Error(`${role} ${index} ended before it reported, with code ${code}`));
      handle.hear?.();
      handle.settle?.();
    });
    return handle;
  }

  #receive(handle: WorkerHandle, message: FromWorker): void {
    if (message.type === 'progress') {
      handle.figures = message.figures;
      handle.sentNs = message.atNs;
      handle.silentLooks = 0;
      handle.loopDelayMs = Math.max(handle.loopDelayMs, message.loopDelayMs);
      if (message.bins) {
        handle.bins ??= new Uint32Array(binsPerBlock);
        putBins(message.bins, handle.bins);
      }
    }
    if (message.type === 'log') this.events.log(message.text);
    if (message.type === 'stageBegun') handle.hear?.();
    if (message.type === 'stageDone') handle.settle?.();
    if (message.type === 'report') {
      handle.report = message.report;
      handle.settle?.();
    }
    if (message.type === 'giveUp') {
      handle.hasGivenUp = true;
      const isOver = this.#handles.every((each) => each.role !== handle.role || each.hasGivenUp || each.isGone);
      if (isOver || message.reason.code === 'flowStopped') this.events.gaveUp(message.reason);
    }
  }

  #lookForStuck(modules: readonly string[]): void {
    for (const handle of this.#handles) {
      if (handle.role !== 'audience' || handle.isGone || handle.report) continue;
      handle.silentLooks++;
      if (handle.silentLooks === handle.mostSilentLooks) void this.#endIfStuck(handle, modules);
    }
  }

  /** Ends a worker that the user's code holds, and the job with it. The others go on to report. */
  async #endIfStuck(handle: WorkerHandle, modules: readonly string[]): Promise<void> {
    const [seconds, isLoading] = [handle.mostSilentLooks, handle.sentNs === 0];
    const { isAnswering, line } = await placeOf(handle.thread.threadId, modules);
    if (handle.isGone) return;
    // A thread that is just starting may not answer.
    if (handle.silentLooks < seconds || (line === undefined && (isAnswering || isLoading))) {
      handle.silentLooks = 0;
      return;
    }
    const doing = line === undefined ? 'wait in a call of the flow that runs no JavaScript' : `run the flow at ${line}`;
    handle.isStuck = true;
    handle.isGone = true;
    this.events.gaveUp({
      code: 'flowStopped',
      evidence: `worker ${handle.index} did nothing else for ${seconds} s than ${doing}`,
    });
    void handle.thread.terminate();
    handle.hear?.();
    handle.settle?.();
  }

  progress(): Record<string, number> {
    return sumCounts(this.#handles.map(({ figures }) => figures));
  }

  /** `sentNs` is 0 until all workers have sent figures. `loopDelayMs` is the worst since the last call. */
  second(): { progress: Record<string, number>; sentNs: number; loopDelayMs: number; bins: number[] } {
    const sent = this.#handles.map(({ sentNs }) => sentNs);
    const sentNs = Math.min(...sent) > 0 ? Math.max(...sent) : 0;
    const loopDelayMs = Math.max(...this.#handles.map((handle) => handle.loopDelayMs));
    for (const handle of this.#handles) handle.loopDelayMs = 0;
    const bins = addBins(this.#handles.flatMap((handle) => handle.bins ?? []));
    return { progress: this.progress(), sentNs, loopDelayMs, bins };
  }

  /** Runs one stage on every worker. Calls `begun` when each has begun it. */
  async stage(name: string, startAtNs: number, round: number, begun = (): void => undefined): Promise<void> {
    const heard = this.#handles.map(
      (handle) =>
        new Promise<void>((resolve) => {
          handle.hear = resolve;
          if (handle.isGone) resolve();
        }),
    );
    void Promise.all(heard).then(begun);
    await this.#order({ type: 'stage', name, startAtNs, round });
  }

  /** Ends the running stage early. `abort` also ends all that is pending. */
  endStage(): void {
    this.#tell({ type: 'endStage' });
  }

  openGate(name: string): void {
    this.#tell({ type: 'gateOpened', name });
  }

  abort(): void {
    this.#tell({ type: 'abort' });
  }

  learn(buffer: SharedArrayBuffer, clock: ClockRelation): void {
    this.#tell({ type: 'sends', buffer, clock });
  }

  #tell(message: ToWorker): void {
    for (const { thread } of this.#handles) thread.postMessage(message);
  }

  async report(): Promise<WorkerReport[]> {
    await this.#order({ type: 'report' });
    return this.#handles.flatMap(({ report }) => report ?? []);
  }

  /** Ends all threads. Does not wait for one that a call of the user's code may hold for long. */
  async close(): Promise<void> {
    clearInterval(this.#looks);
    await Promise.all(this.#handles.map(({ isStuck, thread }) => (isStuck ? undefined : thread.terminate())));
  }

  async #order(message: ToWorker): Promise<void> {
    const settled = this.#handles.map(
      (handle) =>
        new Promise<void>((resolve) => {
          handle.settle = resolve;
          if (handle.isGone) resolve();
          else handle.thread.postMessage(message);
        }),
    );
    await Promise.all(settled);
  }
}

/** Makes the table of a shard's declared sends. Each shard of a run has numbers of its own. */
function marksOf({ scenario, options, slice }: Job): MarkTable | undefined {
  const most = scenario.mostMarks?.(options, slice.of);
  return most === undefined ? undefined : new MarkTable(most, slice.index * most);
}
