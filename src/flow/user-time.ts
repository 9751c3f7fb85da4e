/** Measures the time in a user's code: each call into it, and the promises that continue it. That time is the rig's. */
export class UserTime {
  #ns = 0;
  #depth = 0;
  #fromNs = 0;
  #isContinuing = false;

  /** `caught` receives what the user's code throws. */
  constructor(
    private readonly nowNs: () => number,
    private readonly caught: (error: unknown) => void,
  ) {}

  get ms(): number {
    return this.#ns / 1e6;
  }

  /** Calls into the user's code. Returns what it returns, or undefined if it throws. */
  entered<T>(work: () => T): T | undefined {
    // Before the call, so that no promise of the call continues before the clock of promises runs.
    this.resumed();
    const fromNs = this.nowNs();
    this.#depth++;
    try {
      return work();
    } catch (error) {
      this.caught(error);
      return undefined;
    } finally {
      this.#depth--;
      if (this.#depth === 0) this.#ns += this.nowNs() - fromNs;
    }
  }

  /** Measures until no promise continues any more. Call it right before a promise of the user's code is settled. */
  resumed(): void {
    if (this.#isContinuing) return;
    this.#isContinuing = true;
    queueMicrotask(this.#continued);
  }

  /** A tick that a microtask asks for runs after all microtasks. */
  readonly #continued = (): void => {
    this.#fromNs = this.nowNs();
    process.nextTick(this.#over);
  };

  readonly #over = (): void => {
    this.#ns += this.nowNs() - this.#fromNs;
    this.#isContinuing = false;
  };
}
