import { performance } from 'node:perf_hooks';
import { coreWaitReader } from './core-wait.js';
import type { DeliveryBatch } from './wire.js';

/** Gathers the deliveries of a turn and bounds how long they can have waited. Allocates nothing per delivery. */
export class DeliveryBatcher {
  private readonly batch: DeliveryBatch;
  /** In an array: a double passed from call to call may be boxed for each delivery. */
  private readonly stampedNs = new Float64Array(1);
  private isInTurn = false;
  /** A moment between two polls, and how long the loop had slept until then. */
  private markNs: number;
  private markIdleNs: number;
  private markCoreWaitNs: number;
  /** The earliest return of the last poll before the mark. */
  private lastPollFromNs: number;

  constructor(
    private readonly onBatch: (batch: DeliveryBatch) => void,
    private readonly capacity: number,
    private readonly loop: LoopSource = eventLoop,
  ) {
    this.batch = {
      count: 0,
      readableFromNs: 0,
      client: new Int32Array(capacity),
      sequence: new Int32Array(capacity),
      receivedAtNs: new Float64Array(capacity),
      flags: new Uint8Array(capacity),
    };
    this.markNs = loop.nowNs();
    this.markIdleNs = loop.idleNs();
    this.markCoreWaitNs = loop.coreWaitNs();
    this.lastPollFromNs = this.markNs;
  }

  /** Stamps what follows: once per socket read or library callback, before parsing. */
  stamp(): void {
    this.stampedNs[0] = this.loop.nowNs();
    if (!this.isInTurn) this.beginTurn();
  }

  get lastStampNs(): number {
    return this.stampedNs[0] as number;
  }

  /** Records one delivery at the last stamp; `flags` are bits of `deliveryFlag`. */
  add(client: number, sequence: number, flags: number): void {
    const batch = this.batch;
    const index = batch.count;
    batch.client[index] = client;
    batch.sequence[index] = sequence;
    batch.receivedAtNs[index] = this.stampedNs[0] as number;
    batch.flags[index] = flags;
    batch.count = index + 1;
    if (batch.count === this.capacity) this.flush();
  }

  flush(): void {
    if (this.batch.count === 0) return;
    this.onBatch(this.batch);
    this.batch.count = 0;
  }

  discard(): void {
    this.batch.count = 0;
  }

  // Since the mark the loop slept `sleptNs`, so it last woke no earlier than `markNs + sleptNs`, whatever ran since.
  // A timer that blocked the loop after a sleep counts as our own delay, as it must. The loop takes a thread that is
  // ready to run and has no core for asleep, so its wait since the last turn is subtracted.
  //
  // - It slept: nothing was ready before, so every frame of this turn became readable after that wake.
  // - It did not: the poll of the turn before would have served a frame readable then. A poll serves all ready sockets:
  //   libuv repeats its 1,024-event look up to 48 times and reads a socket up to 32 times. Beyond 49,152 ready sockets,
  //   or 2 MiB waiting on one, a frame may be one turn older.
  private beginTurn(): void {
    this.isInTurn = true;
    const coreWaitNs = this.loop.coreWaitNs();
    const sleptNs = this.loop.idleNs() - this.markIdleNs;
    const pollFromNs = this.markNs + Math.max(0, sleptNs - (coreWaitNs - this.markCoreWaitNs));
    this.markCoreWaitNs = coreWaitNs;
    this.batch.readableFromNs = sleptNs > 0 ? pollFromNs : this.lastPollFromNs;
    this.lastPollFromNs = pollFromNs;
    this.loop.afterPoll(this.endTurn);
  }

  private readonly endTurn = (): void => {
    this.flush();
    this.isInTurn = false;
    // Marked after the flush: later is tighter, and still before the next poll.
    this.markNs = this.loop.nowNs();
    this.markIdleNs = this.loop.idleNs();
  };
}

/** What the wire room needs of its event loop; tests inject their own. */
export interface LoopSource {
  /** CLOCK_MONOTONIC in nanoseconds since the process's time origin, as in `measure/rig/clock`. */
  nowNs(): number;
  /** Time asleep in poll so far, in nanoseconds. It grows only if a poll without waiting found nothing. */
  idleNs(): number;
  /** How long this thread has been ready to run without a core so far, in nanoseconds. */
  coreWaitNs(): number;
  /** Runs `callback` once after the poll of this turn (the check phase). */
  afterPoll(callback: () => void): void;
}

/** The event loop of the calling thread. */
export const eventLoop: LoopSource = {
  nowNs: () => performance.now() * 1e6,
  idleNs: () => performance.nodeTiming.idleTime * 1e6,
  coreWaitNs: coreWaitReader(),
  afterPoll: (callback) => {
    setImmediate(callback);
  },
};
