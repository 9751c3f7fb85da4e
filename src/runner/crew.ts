import { type ResourceLimits, Worker } from 'node:worker_threads';
import { addBins, putBins } from '../measure/samples/bins.js';
import { binsPerBlock } from '../measure/samples/blocks.js';
import { Board } from '../measure/samples/board.js';
import { sumCounts } from '../measure/samples/sums.js';
import { share, shareStart } from '../measure/share.js';
import type { FromWorker, ReportMessage, RoleName, ToWorker, WorkerAssignment } from '../worker/messages.js';
import type { GiveUp, Job } from '../worker/parse-job.js';

/**
 * Wire clients make next to no garbage, and what connecting fills of V8's young generation is never given back: 6 MB instead of the default 48
 * halve the memory of an idle client and leave the CPU per delivery as it is. Libraries keep the default: theirs would pay in collections.
 */
const wireMemory: ResourceLimits = { maxYoungGenerationSizeMb: 6 };

/** What a crew tells the job that it works for. */
export interface CrewEvents {
  log(text: string): void;
  /** Every subscriber worker gave up. */
  gaveUp(reason: GiveUp): void;
  /** A worker ended by a fault of ours. */
  broke(error: Error): void;
}

interface Hand {
  role: RoleName;
  thread: Worker;
  figures: Record<string, number>;
  /** When it told them, and the worst delay of its loop that it told of since that was last asked for. */
  toldNs: number;
  loopDelayMs: number;
  /** Of its headline metric, all samples that it told of. */
  bins: Uint32Array | undefined;
  report: ReportMessage | undefined;
  hasGivenUp: boolean;
  hasFailed: boolean;
  isGone: boolean;
  /** Resolves what is being awaited of this worker: the end of a stage, or its report. */
  settle: (() => void) | undefined;
}

/** The worker threads of one job: subscribers on event loops of their own, and the publisher on another. */
export class Crew {
  readonly #hands: Hand[];
  readonly #events: CrewEvents;
  readonly #entry: URL;

  /** `startedNs` is the job's start, in step with which the workers tell their figures; `entry` is the program of a thread. */
  constructor(
    job: Job,
    body: unknown,
    workers: number,
    startedNs: number,
    events: CrewEvents,
    entry: URL = new URL('../worker/main.js', import.meta.url),
  ) {
    this.#events = events;
    this.#entry = entry;
    const board = new Board(job.demand.broadcasts);
    const clients = share(job.demand.clients, job.slice.index, job.slice.of);
    const memory = job.load.client === 'wire' ? wireMemory : {};
    const first = shareStart(job.demand.clients, job.slice.index, job.slice.of);
    const assign = (role: RoleName, index: number, clientCount: number, firstClient: number): Hand =>
      this.#hire(
        {
          role,
          index,
          clientCount,
          firstClient,
          job: body,
          startedNs,
          board: { size: board.size, buffer: board.buffer },
        },
        memory,
      );
    this.#hands = [assign('publisher', 0, 0, first)];
    for (let index = 0; index < workers; index++)
      this.#hands.push(
        assign('audience', index, share(clients, index, workers), first + shareStart(clients, index, workers)),
      );
  }

  #hire(assignment: WorkerAssignment, resourceLimits: ResourceLimits): Hand {
    const thread = new Worker(this.#entry, {
      workerData: assignment,
      resourceLimits,
    });
    const hand: Hand = {
      role: assignment.role,
      thread,
      figures: {},
      toldNs: 0,
      loopDelayMs: 0,
      bins: undefined,
      report: undefined,
      hasGivenUp: false,
      hasFailed: false,
      isGone: false,
      settle: undefined,
    };
    thread.on('message', (message: FromWorker) => this.#heard(hand, message));
    thread.on('error', (error: Error) => {
      hand.hasFailed = true;
      this.#events.broke(error);
    });
    thread.on('exit', (code) => {
      hand.isGone = true;
      if (!hand.report && !hand.hasFailed)
        this.#events.broke(
          new Error(`${assignment.role} ${assignment.index} ended before it reported, with code ${code}`),
        );
      hand.settle?.();
    });
    return hand;
  }

  #heard(hand: Hand, message: FromWorker): void {
    if (message.type === 'progress') {
      hand.figures = message.figures;
      hand.toldNs = message.atNs;
      hand.loopDelayMs = Math.max(hand.loopDelayMs, message.loopDelayMs);
      if (message.bins) {
        hand.bins ??= new Uint32Array(binsPerBlock);
        putBins(message.bins, hand.bins);
      }
    }
    if (message.type === 'log') this.#events.log(message.text);
    if (message.type === 'stageDone') hand.settle?.();
    if (message.type === 'report') {
      hand.report = message.report;
      hand.settle?.();
    }
    if (message.type === 'giveUp') {
      hand.hasGivenUp = true;
      const isOver = this.#hands.every((each) => each.role !== hand.role || each.hasGivenUp || each.isGone);
      if (isOver) this.#events.gaveUp(message.reason);
    }
  }

  /** Live figures, added up over the workers. */
  progress(): Record<string, number> {
    return sumCounts(this.#hands.map((hand) => hand.figures));
  }

  /**
   * The live figures, when the last of the workers told them (0: not all did yet), the worst delay of any loop since this was last asked for, and the
   * bins of the headline metric, of all workers together.
   */
  second(): { progress: Record<string, number>; toldNs: number; loopDelayMs: number; bins: number[] } {
    const told = this.#hands.map((hand) => hand.toldNs);
    const toldNs = Math.min(...told) > 0 ? Math.max(...told) : 0;
    const loopDelayMs = Math.max(...this.#hands.map((hand) => hand.loopDelayMs));
    for (const hand of this.#hands) hand.loopDelayMs = 0;
    const bins = addBins(this.#hands.flatMap((hand) => hand.bins ?? []));
    return { progress: this.progress(), toldNs, loopDelayMs, bins };
  }

  /** Runs one stage on every worker; resolves when all are through with it, or gone. */
  async stage(name: string, startAtNs: number, round: number): Promise<void> {
    await this.#order({ type: 'stage', name, startAtNs, round });
  }

  /** Makes the running stage end early. */
  abort(): void {
    for (const { thread } of this.#hands) thread.postMessage({ type: 'abort' } satisfies ToWorker);
  }

  /** Collects what every living worker measured; the clients are closed by it. */
  async report(): Promise<ReportMessage[]> {
    await this.#order({ type: 'report' });
    return this.#hands.flatMap((hand) => hand.report ?? []);
  }

  /** Ends threads that are still there. */
  async dismiss(): Promise<void> {
    await Promise.all(this.#hands.map((hand) => hand.thread.terminate()));
  }

  async #order(message: ToWorker): Promise<void> {
    await Promise.all(
      this.#hands.map(
        (hand) =>
          new Promise<void>((resolve) => {
            hand.settle = resolve;
            if (hand.isGone) resolve();
            else hand.thread.postMessage(message);
          }),
      ),
    );
  }
}
