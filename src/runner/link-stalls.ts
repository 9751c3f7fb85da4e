import { median } from 'simple-statistics';

/** A TCP timer takes 200 ms and more. */
const leastMs = 500;
/** A pause that is not so many times the usual one is that of a schedule, or of a machine that is slow. */
const timesUsual = 3;

/** Counts the time in which nothing arrived while TCP timers ran out: the link stood still, and all that was due. */
export class LinkStalls {
  readonly #startedMs: number;
  /** When something had last arrived, how much, and how many timers had run out. */
  #last: { atMs: number; received: number; timeouts: number } | undefined;
  #timeouts = 0;
  /** Times from one arrival to the next, and those in which timers ran out. */
  readonly #pausesMs: number[] = [];
  readonly #suspectsMs: number[] = [];

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  /** Call several times a second. A pause counts when it ends: behind the last delivery, nothing is due. */
  look(atMs: number, received: number, timeouts: number): void {
    const last = this.#last;
    if (last !== undefined && received === last.received) {
      this.#timeouts = timeouts;
      return;
    }
    if (last !== undefined) {
      this.#pausesMs.push(atMs - last.atMs);
      if (this.#timeouts > last.timeouts) this.#suspectsMs.push(atMs - last.atMs);
    }
    this.#last = { atMs, received, timeouts };
    this.#timeouts = timeouts;
  }

  /** The share of the time until now. */
  share(nowMs: number): number {
    if (this.#suspectsMs.length === 0 || nowMs <= this.#startedMs) return 0;
    const shortestMs = Math.max(leastMs, timesUsual * median(this.#pausesMs));
    const stalledMs = this.#suspectsMs.reduce((sum, pauseMs) => sum + (pauseMs >= shortestMs ? pauseMs : 0), 0);
    return stalledMs / (nowMs - this.#startedMs);
  }
}
