/** A shorter pause is that of a schedule; a TCP timer takes 200 ms and more. */
const leastMs = 500;

/** Counts the time in which nothing arrived while TCP timers ran out: the link stood still, and all that was due. */
export class LinkStalls {
  readonly #startedMs: number;
  /** When something had last arrived, how much, and how many timers had run out. */
  #last: { atMs: number; received: number; timeouts: number } | undefined;
  #timeouts = 0;
  #stalledMs = 0;

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  /** Call several times a second. A pause counts when it ends: behind the last delivery, nothing is due. */
  look(atMs: number, received: number, timeouts: number): void {
    const last = this.#last;
    const isFirst = last === undefined;
    if (!isFirst && received === last.received) {
      this.#timeouts = timeouts;
      return;
    }
    if (!isFirst && this.#timeouts > last.timeouts && atMs - last.atMs >= leastMs) this.#stalledMs += atMs - last.atMs;
    this.#last = { atMs, received, timeouts };
    this.#timeouts = timeouts;
  }

  /** The share of the time until now. */
  share(nowMs: number): number {
    return nowMs > this.#startedMs ? this.#stalledMs / (nowMs - this.#startedMs) : 0;
  }
}
