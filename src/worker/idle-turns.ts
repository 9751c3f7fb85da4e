/** A turn in which the loop has nothing to do takes one to three microseconds; in one that takes longer than this it may have read or written a socket. */
const idleTurnNs = 10_000;

/** How long an event loop turned for nothing while it waited for an instant. What may have been work counts as work. */
export class IdleTurns {
  #lastNs = 0;
  #idleNs = 0;

  get idleMs(): number {
    return this.#idleNs / 1e6;
  }

  /** Another turn is over. Of several waits at once each begins its stretch where another one ended its own, so that no time counts twice. */
  turned(nowNs: number): void {
    const turnNs = nowNs - this.#lastNs;
    if (turnNs < idleTurnNs) this.#idleNs += turnNs;
    this.#lastNs = nowNs;
  }
}
