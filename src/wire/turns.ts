import { openSync, readFileSync, readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const space = 32;
const zero = 48;

/**
 * Reads how long the calling thread has been ready to run without a core so far, in nanoseconds: the second number of
 * `/proc/thread-self/schedstat`, which includes stolen time. Always 0 where the kernel does not count it. The reader
 * works only on the thread that made it. It keeps one descriptor and allocates nothing per call.
 */
export function coreWaitReader(): () => number {
  const fd = openSchedstat();
  if (fd === undefined) return () => 0;
  const text = new Uint8Array(64);
  return () => secondNumber(text, readSync(fd, text, 0, text.length, 0));
}

/** How long a thread of this process ran so far, and was ready to run without a core; 0 where that is not told. */
export function readThreadTimes(tid: number): { cpuNs: number; coreWaitNs: number } {
  const text = unlessLacking(() => readFileSync(`/proc/self/task/${tid}/schedstat`, 'latin1')) ?? '0 0';
  const [cpuNs, coreWaitNs] = text.split(' ').map(Number) as [number, number];
  return { cpuNs, coreWaitNs };
}

function openSchedstat(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return unlessLacking(() => openSync('/proc/thread-self/schedstat', 'r'));
}

/** Undefined from a kernel without the file, and without a free descriptor. */
function unlessLacking<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EMFILE' || code === 'ENFILE') return undefined;
    throw error;
  }
}

function secondNumber(text: Uint8Array, length: number): number {
  let value = 0;
  for (let at = text.indexOf(space) + 1; at < length && text[at] !== space; at++)
    value = value * 10 + (text[at] as number) - zero;
  return value;
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

/** What a wake takes to reach its core, which no counter shows: up to 31 µs between cores of a virtual machine. */
const mostWakeNs = 50_000;

/** How late a timer may end a sleep: 0.2 ms in 99 % of all, 1.4 ms in 99.9 %. */
const mostTimerLateNs = 2_000_000;

/** The turns of an event loop: what a turn reads can have been readable no earlier than `readableFromNs`. */
export class Turns {
  /** Of the running turn. */
  readableFromNs = 0;
  /** How long the thread has slept for certain in all turns so far; nothing was readable meanwhile. */
  sleptNs = 0;
  isRunning = false;
  /** Whether any turn ever read. */
  private isRead = false;
  /** No sleep lasts beyond this by itself. */
  private awakeByNs = Number.POSITIVE_INFINITY;
  /** A moment between two polls; how long the loop had slept, and its thread waited for a core, until then. */
  private markNs: number;
  private markIdleNs: number;
  private markCoreWaitNs: number;
  /** The earliest return of the last poll before the mark. */
  private lastPollFromNs: number;
  private atEnd: (() => void)[] = [];
  /** Turns since the mark that did not begin. */
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
   * Begins a turn unless one runs. Call it in every turn that reads, and in as many others as possible: the time awake
   * and without a core since the turn before counts as a delay of our own.
   *
   * Since the mark the loop slept `sleptNs`, so it last woke no earlier than `markNs + sleptNs`, whatever ran since. A
   * timer that blocked the loop after a sleep counts as our own delay, as it must. The loop takes a thread that is
   * ready to run and has no core for asleep, so that wait is subtracted, and so is what a wake takes. It takes a
   * stopped process for asleep, too. A sleep beyond the next tick tells of a stop, which may have begun at any moment
   * of it: nothing of such a sleep is certain.
   *
   * - It slept: nothing was ready before, so every frame of this turn became readable after that wake.
   * - It did not: the poll of the turn before would have served a frame readable then. A poll serves all ready sockets:
   *   libuv repeats its 1,024-event look up to 48 times and reads a socket up to 32 times. Beyond 49,152 ready sockets,
   *   or 2 MiB waiting on one, a frame may be one turn older.
   */
  begin(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.isRead = true;
    const { loop } = this;
    const sleptNs = loop.idleNs() - this.markIdleNs;
    const waitedNs = loop.coreWaitNs() - this.markCoreWaitNs;
    const asleepNs = Math.max(0, sleptNs - waitedNs - this.wakeNs * (1 + this.wakes));
    const certainNs = this.markNs + asleepNs > this.awakeByNs ? 0 : asleepNs;
    const pollFromNs = this.markNs + certainNs;
    this.sleptNs += certainNs;
    this.readableFromNs = sleptNs > 0 ? pollFromNs : this.lastPollFromNs;
    this.lastPollFromNs = pollFromNs;
    loop.afterPoll(this.end);
  }

  /** Stands for a turn that reads nothing whose time it would tell. It costs no system call; the sleep still counts. */
  woke(): void {
    if (!this.isRunning) this.wakes++;
  }

  /**
   * Begins a turn of a timer that ticks again after `everyNs`: until then the loop wakes by itself. On a loop that
   * never read, the clocks are not looked at, and nothing is certain of its sleeps so far.
   */
  tick(everyNs: number): void {
    if (!this.isRead) {
      this.awakeByNs = 0;
      return;
    }
    this.begin();
    this.awakeByNs = this.loop.nowNs() + everyNs + mostTimerLateNs;
  }

  /** Runs `callback` at the end of the running turn. */
  whenEnded(callback: () => void): void {
    this.atEnd.push(callback);
  }

  private readonly end = (): void => {
    const callbacks = this.atEnd;
    this.atEnd = [];
    for (const callback of callbacks) callback();
    this.isRunning = false;
    this.wakes = 0;
    // Marked last: later is tighter, and still before the next poll.
    this.markNs = this.loop.nowNs();
    this.markIdleNs = this.loop.idleNs();
    this.markCoreWaitNs = this.loop.coreWaitNs();
  };
}

/** The turns of the calling thread. */
export const turns = new Turns(eventLoop);
