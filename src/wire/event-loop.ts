import { performance } from 'node:perf_hooks';

/** What the wire room needs to know of the event loop it runs on; a test injects its own. */
export interface LoopSource {
  /** CLOCK_MONOTONIC in nanoseconds since the process's time origin: the same clock as `measure/clock`, which this room may not import. */
  nowNs(): number;
  /** How long this loop has slept in poll so far, in nanoseconds. It grows only when a look without waiting had found nothing ready. */
  idleNs(): number;
  /** Runs `callback` once, after the poll of the running turn (the check phase). */
  afterPoll(callback: () => void): void;
}

/** The event loop of the calling thread. */
export const eventLoop: LoopSource = {
  nowNs: () => performance.now() * 1e6,
  idleNs: () => performance.nodeTiming.idleTime * 1e6,
  afterPoll: (callback) => {
    setImmediate(callback);
  },
};
