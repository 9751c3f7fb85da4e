import { type Loop, loop as ownLoop } from './loop.js';

/** A timer of Node runs up to this much late. */
const timerSlackMs = 1.5;
/** The shortest wait that is left to a timer: it sleeps whole milliseconds, at least one. */
const shortestSleepMs = 1 + timerSlackMs;

/**
 * Calls `ring` at the time that was asked for, a few microseconds late at most on an idle loop. It sleeps until shortly before and then turns the
 * loop, so that sockets are read meanwhile; with nothing due it does nothing.
 *
 *     idle ──aim──> asleep ──1.5 ms before──> turning: ring, in each turn ──> idle, asleep or turning, by what `ring` says is next
 */
export class Alarm {
  readonly #ring: () => number;
  readonly #loop: Loop;
  #dueNs = Number.POSITIVE_INFINITY;
  #isTurning = false;
  #callOff: (() => void) | undefined;

  /** `ring` runs in the check phase of the loop, does what is due, and gives the time at which it wants to run again, or Infinity. */
  constructor(ring: () => number, loop: Loop = ownLoop) {
    this.#ring = ring;
    this.#loop = loop;
  }

  /** Sees to it that `ring` runs at `dueNs`; an earlier time that was asked for before stands. */
  aim(dueNs: number): void {
    if (dueNs >= this.#dueNs) return;
    this.#dueNs = dueNs;
    if (!this.#isTurning) this.#wait();
  }

  #wait(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    if (this.#dueNs === Number.POSITIVE_INFINITY) return;
    const leftMs = (this.#dueNs - this.#loop.nowNs()) / 1e6;
    if (leftMs >= shortestSleepMs) {
      this.#callOff = this.#loop.after(Math.floor(leftMs - timerSlackMs), () => this.#wait());
      return;
    }
    this.#isTurning = true;
    this.#loop.afterPoll(this.#turn);
  }

  readonly #turn = (): void => {
    // Whatever is aimed at from within is queued by then: the answer knows it.
    this.#dueNs = this.#ring();
    this.#isTurning = false;
    this.#wait();
  };
}
