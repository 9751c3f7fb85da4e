import { performance } from 'node:perf_hooks';

/** What the wire room needs of its event loop; tests inject their own. */
export interface LoopSource {
  /** CLOCK_MONOTONIC in nanoseconds since the process's time origin, as in `measure/rig/clock`. */
  nowNs(): number;
  /** Time asleep in poll so far, in nanoseconds. It grows only if a poll without waiting found nothing. */
  idleNs(): number;
  /** Runs `callback` once after the poll of this turn (the check phase). */
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
