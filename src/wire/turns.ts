import { openSync, readFileSync, readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { exhausted, unlessCode } from '../units/system.js';
import { type DeliveryBatch, deliveryFlag } from './wire.js';

const space = 32;
const zero = 48;

/**
 * Returns a reader of the time in nanoseconds that the calling thread was ready to run without a core. It reads the
 * second number of `/proc/thread-self/schedstat`, which includes stolen time. It returns 0 if the kernel does not count
 * it. It works only on the thread that made it, keeps one descriptor and allocates nothing per call.
 */
export function coreWaitReader(): () => number {
  const fd = openSchedstat();
  if (fd === undefined) return () => 0;
  const text = new Uint8Array(64);
  return () => secondNumber(text, readSync(fd, text, 0, text.length, 0));
}

/** Returns a thread's CPU time and its time ready without a core. Both are 0 if the kernel does not count. */
export function readThreadTimes(tid: number): { cpuNs: number; coreWaitNs: number } {
  const text = unlessCode(lacking, () => readFileSync(`/proc/self/task/${tid}/schedstat`, 'latin1')) ?? '0 0';
  const [cpuNs, coreWaitNs] = text.split(' ').map(Number) as [number, number];
  return { cpuNs, coreWaitNs };
}

function openSchedstat(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return unlessCode(lacking, () => openSync('/proc/thread-self/schedstat', 'r'));
}

/** Codes of a kernel without the file, and of a process without a free descriptor. */
const lacking = ['ENOENT', ...exhausted];

function secondNumber(text: Uint8Array, length: number): number {
  let value = 0;
  for (let at = text.indexOf(space) + 1; at < length && text[at] !== space; at++) value = value * 10 + text[at]! - zero;
  return value;
}

/** Describes the event loop as the wire engine needs it. Tests inject their own. */
export interface LoopSource {
  /** Returns CLOCK_MONOTONIC in nanoseconds since the process's time origin, as in `measure/rig/clock`. */
  nowNs(): number;
  /** Returns the time asleep in poll so far, in nanoseconds. It grows only if a poll without waiting found nothing. */
  idleNs(): number;
  /** Returns how long this thread has been ready to run without a core so far, in nanoseconds. */
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

/** Longest wake of a core, which no counter shows: up to 31 µs between cores of a virtual machine. */
const mostWakeNs = 50_000;

/** Longest lateness of a timer that ends a sleep: 0.2 ms in 99 % of all, 1.4 ms in 99.9 %. */
const mostTimerLateNs = 2_000_000;

/** The turns of an event loop. Data read in a turn became readable no earlier than `readableFromNs`. */
export class Turns {
  /** Lower bound for the running turn. */
  readableFromNs = 0;
  /** Time that the thread has slept for certain in all turns so far. Nothing was readable meanwhile. */
  sleptNs = 0;
  isRunning = false;
  /** True once any turn has read. */
  private isRead = false;
  /** Time by which every sleep ends by itself. */
  private awakeByNs = Number.POSITIVE_INFINITY;
  /** A moment between two polls, and the idle time until then. */
  private markNs: number;
  private markIdleNs: number;
  /** The wait for a core until then, or until a short turn before it began. */
  private markCoreWaitNs: number;
  private begunNs = 0;
  /** The earliest return of the last poll before the mark. */
  private lastPollFromNs: number;
  private atEnd: (() => void)[] = [];
  /** Number of turns since the mark that did not begin. */
  private wakes = 0;

  /** `wakeNs`: how long a wake may take before the thread counts as waiting. */
  constructor(
    readonly loop: LoopSource,
    private readonly wakeNs = mostWakeNs,
  ) {
    this.markNs = loop.nowNs();
    this.markIdleNs = loop.idleNs();
    this.markCoreWaitNs = loop.coreWaitNs();
    this.lastPollFromNs = this.markNs;
  }

  /**
   * Begins a turn unless one runs. Call it in every turn that reads, and in as many others as possible. The time awake
   * and without a core since the turn before counts as a delay of our own.
   *
   * Since the mark the loop slept `sleptNs`, so it last woke no earlier than `markNs + sleptNs`, whatever ran since. A
   * timer that blocked the loop after a sleep counts as our own delay, as it must. The loop counts a thread that is
   * ready to run without a core as asleep. That wait is subtracted, and so is the time of a wake. The loop also counts
   * a stopped process as asleep. A sleep beyond the next tick means a stop, which may have begun at any moment of the
   * sleep. Nothing of such a sleep is certain.
   *
   * - It slept: nothing was ready before, so every frame of this turn became readable after that wake.
   * - It did not: the poll of the turn before would have served a frame readable then. A poll serves all ready sockets:
   *   libuv repeats its poll for 1,024 events up to 48 times and reads a socket up to 32 times. Beyond 49,152 ready
   *   sockets, or 2 MiB waiting on one, a frame may be one turn older.
   */
  begin(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.isRead = true;
    const { loop } = this;
    const sleptNs = loop.idleNs() - this.markIdleNs;
    const coreWaitNs = loop.coreWaitNs();
    const waitedNs = coreWaitNs - this.markCoreWaitNs;
    this.markCoreWaitNs = coreWaitNs;
    this.begunNs = loop.nowNs();
    const asleepNs = Math.max(0, sleptNs - waitedNs - this.wakeNs * (1 + this.wakes));
    const certainNs = this.markNs + asleepNs > this.awakeByNs ? 0 : asleepNs;
    const pollFromNs = this.markNs + certainNs;
    this.sleptNs += certainNs;
    this.readableFromNs = sleptNs > 0 ? pollFromNs : this.lastPollFromNs;
    this.lastPollFromNs = pollFromNs;
    loop.afterPoll(this.end);
  }

  /** Counts a turn that reads nothing with a reported time. It makes no system call. The sleep still counts. */
  woke(): void {
    if (!this.isRunning) this.wakes++;
  }

  /**
   * Begins a turn of a timer that ticks again after `everyNs`: until then the loop wakes by itself. On a loop that
   * never read, the clocks are not read, and nothing is certain of its sleeps so far.
   */
  tick(everyNs: number): void {
    if (!this.isRead) {
      this.awakeByNs = 0;
      return;
    }
    this.begin();
    this.awakeByNs = this.loop.nowNs() + everyNs + mostTimerLateNs;
  }

  whenEnded(callback: () => void): void {
    this.atEnd.push(callback);
  }

  private readonly end = (): void => {
    const callbacks = this.atEnd;
    this.atEnd = [];
    for (const callback of callbacks) callback();
    this.isRunning = false;
    this.wakes = 0;
    // The mark comes last: a later one is tighter, and still before the next poll.
    this.markNs = this.loop.nowNs();
    this.markIdleNs = this.loop.idleNs();
    // A shorter turn holds no wait that is worth the reading. One that it held counts as that of the next sleep.
    if (this.markNs - this.begunNs > this.wakeNs) this.markCoreWaitNs = this.loop.coreWaitNs();
  };
}

/** The turns of the calling thread. */
export const turns = new Turns(eventLoop);

/** Gathers the deliveries of a turn and bounds how long they can have waited. Allocates nothing per delivery. */
export class DeliveryBatcher {
  /** Number of deliveries handed over, without those of a turn that has not ended. */
  handedOver = 0;
  private readonly batch: DeliveryBatch;
  /** Kept in an array, as a double passed from call to call may be boxed for each delivery. */
  private readonly stampedNs = new Float64Array(1);
  private readonly notBeforeNs = new Float64Array(1);
  private isInTurn = false;

  constructor(
    private readonly onBatch: (batch: DeliveryBatch) => void,
    private readonly capacity: number,
    private readonly ofThread: Turns = turns,
  ) {
    this.batch = {
      count: 0,
      client: new Int32Array(capacity),
      sequence: new Int32Array(capacity),
      receivedAtNs: new Float64Array(capacity),
      notBeforeNs: new Float64Array(capacity),
      flags: new Uint8Array(capacity),
    };
  }

  /** Stamps the deliveries that follow. Call it once per socket read or library callback, before parsing. */
  stamp(): void {
    this.stampedNs[0] = this.ofThread.loop.nowNs();
    if (!this.isInTurn) this.beginTurn();
  }

  get lastStampNs(): number {
    return this.stampedNs[0]!;
  }

  /** Records one delivery at the last stamp; `flags` are bits of `deliveryFlag`. */
  add(client: number, sequence: number, flags: number): void {
    const batch = this.batch;
    const index = batch.count;
    batch.client[index] = client;
    batch.sequence[index] = sequence;
    batch.receivedAtNs[index] = this.stampedNs[0]!;
    batch.notBeforeNs[index] = this.notBeforeNs[0]!;
    batch.flags[index] = flags | deliveryFlag.unstamped;
    batch.count = index + 1;
    if (batch.count === this.capacity) this.flush();
  }

  flush(): void {
    if (this.batch.count === 0) return;
    this.onBatch(this.batch);
    this.handedOver += this.batch.count;
    this.batch.count = 0;
  }

  discard(): void {
    this.batch.count = 0;
  }

  private beginTurn(): void {
    this.isInTurn = true;
    this.ofThread.begin();
    this.notBeforeNs[0] = this.ofThread.readableFromNs;
    this.ofThread.whenEnded(this.endTurn);
  }

  private readonly endTurn = (): void => {
    this.flush();
    this.isInTurn = false;
  };
}
