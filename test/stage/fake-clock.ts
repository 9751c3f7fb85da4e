interface Sleeper {
  atNs: number;
  wake(): void;
}

/** A clock for tests of stages: it stands still during work, and leaps to the next instant that a test waits for. */
export class FakeClock {
  #nowNs: number;
  readonly #sleepers: Sleeper[] = [];

  constructor(startNs = 7e9) {
    this.#nowNs = startNs;
  }

  readonly nowNs = (): number => this.#nowNs;

  /** See `PublisherContext.until`. */
  readonly until = (atNs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted || atNs <= this.#nowNs) {
        resolve();
        return;
      }
      const wake = (): void => {
        this.#forget(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper = { atNs, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', wake);
    });

  /** See `RoleContext.sleep`. */
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => this.until(this.#nowNs + ms * 1e6, signal);

  /** Calls `action` when the clock gets to `atNs`. */
  at(atNs: number, action: () => void): void {
    this.#sleepers.push({ atNs, wake: action });
  }

  /** Lets the time pass that `work` takes. Throws an Error when it waits for nothing that can come. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    for (;;) {
      // A turn of the loop comes after every promise that can be settled without time.
      await Promise.race([over, new Promise(setImmediate)]);
      if (isOver) return over;
      const next = this.#sleepers.reduce<Sleeper | undefined>(
        (first, each) => (first && first.atNs <= each.atNs ? first : each),
        undefined,
      );
      if (!next) throw new Error('the work waits for nothing that can come');
      this.#forget(next);
      this.#nowNs = Math.max(this.#nowNs, next.atNs);
      next.wake();
    }
  }

  #forget(sleeper: Sleeper): void {
    const at = this.#sleepers.indexOf(sleeper);
    if (at >= 0) this.#sleepers.splice(at, 1);
  }
}
