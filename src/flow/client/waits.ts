import { Left } from '../api.js';
import { failureAt } from '../module/line.js';

/** The cause of a wait that the end of the load cuts off. */
export const endedCause = 'ended';

/** Ends one wait. Only the first call counts. */
export class Wait<T> {
  cleanUp: (() => void) | undefined;
  timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly waits: Waits,
    private readonly resolve: (value: T) => void,
    private readonly reject: (error: Error) => void,
    /** Where the user's code waits. Left out if the wait ends well or with the client. */
    private readonly site: Left | undefined,
  ) {}

  done(value: T): void {
    if (this.#isFirst()) this.resolve(value);
  }

  fail(error: Error): void {
    if (this.#isFirst()) this.reject(this.site ? failureAt(this.site, error) : error);
  }

  #isFirst(): boolean {
    if (!this.waits.forget(this)) return false;
    clearTimeout(this.timer);
    this.cleanUp?.();
    this.waits.resumed();
    return true;
  }
}

function wake(wait: Wait<void>): void {
  wait.done();
}

/** Makes waits of clients that end together. Each rejects with `Left('ended')` when the signal aborts. */
export class Waits {
  /** Made when first used. */
  #pending: Set<Wait<never>> | undefined;

  /** `resumed` is called right before a wait ends, as the client's code runs next. */
  constructor(
    readonly signal: AbortSignal,
    readonly resumed: () => void,
  ) {}

  /** Begins a wait. `begin` may return what cleans up behind it. With `withinMs`, it fails then with that cause. */
  wait<T>(begin: (wait: Wait<T>) => (() => void) | undefined, limit?: { withinMs: number; cause: string }): Promise<T> {
    const site = limit && new Left(endedCause);
    return new Promise((resolve, reject) => {
      // Later, so that a flow that waits again and again leaves the others their time.
      if (this.signal.aborted) {
        setImmediate(reject, site ?? new Left(endedCause));
        return;
      }
      const pending = this.#listening();
      const wait = new Wait(this, resolve, reject, site);
      pending.add(wait);
      if (limit) wait.timer = setTimeout(() => wait.fail(new Left(limit.cause)), limit.withinMs);
      wait.cleanUp = begin(wait);
      if (!pending.has(wait)) wait.cleanUp?.();
    });
  }

  sleep(ms: number): Promise<void> {
    return this.wait<void>((wait) => {
      wait.timer = setTimeout(wake, ms, wait);
      return undefined;
    });
  }

  /** Returns false if that wait has ended before. */
  forget(wait: Wait<never>): boolean {
    return this.#pending?.delete(wait) === true;
  }

  #listening(): Set<Wait<never>> {
    if (this.#pending !== undefined) return this.#pending;
    const pending = new Set<Wait<never>>();
    this.signal.addEventListener('abort', () => {
      for (const wait of pending) wait.fail(new Left(endedCause));
    });
    this.#pending = pending;
    return pending;
  }
}
