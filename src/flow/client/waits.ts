import { Left } from '../api.js';
import { failureAt } from '../module/line.js';

/** Callbacks of an abort, by signal. All share one listener, as many clients wait for one end. */
const pending = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `end` once if the signal aborts. Returns a function that forgets it. */
export function whenEnded(signal: AbortSignal, end: () => void): () => void {
  const ends = pending.get(signal) ?? listenedTo(signal);
  ends.add(end);
  return () => void ends.delete(end);
}

function listenedTo(signal: AbortSignal): Set<() => void> {
  const ends = new Set<() => void>();
  pending.set(signal, ends);
  signal.addEventListener('abort', () => {
    for (const end of ends) end();
  });
  return ends;
}

/** The cause of a wait that the end of the load cuts off. */
export const endedCause = 'ended';

/** Ends one wait. Only the first call counts. */
export interface Wait<T> {
  done(value: T): void;
  fail(error: Error): void;
}

/** Makes waits of a client. Each rejects with `Left('ended')` when the signal aborts. */
export class Waits {
  /** `resumed` is called right before a wait ends, as the client's code runs next. */
  constructor(
    readonly signal: AbortSignal,
    private readonly resumed: () => void,
  ) {}

  /** Begins a wait. `begin` may return what cleans up behind it. With `withinMs`, it fails then with that cause. */
  wait<T>(begin: (wait: Wait<T>) => (() => void) | undefined, limit?: { withinMs: number; cause: string }): Promise<T> {
    const { signal, resumed } = this;
    // A wait without a limit ends well or with the client, so its error needs no line.
    const site = limit && new Left(endedCause);
    return new Promise((resolve, reject) => {
      // Later, so that a flow that waits again and again leaves the others their time.
      if (signal.aborted) {
        setImmediate(reject, site ?? new Left(endedCause));
        return;
      }
      let isOver = false;
      let cleanUp: (() => void) | undefined;
      let timer: NodeJS.Timeout | undefined;
      const over = (settle: () => void): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        forget();
        cleanUp?.();
        resumed();
        settle();
      };
      const fail = (error: Error): void => over(() => reject(site ? failureAt(site, error) : error));
      const forget = whenEnded(signal, () => fail(new Left(endedCause)));
      if (limit) timer = setTimeout(() => fail(new Left(limit.cause)), limit.withinMs);
      cleanUp = begin({ done: (value) => over(() => resolve(value)), fail });
      if (isOver) cleanUp?.();
    });
  }

  sleep(ms: number): Promise<void> {
    return this.wait<void>(({ done }) => {
      const timer = setTimeout(done, ms);
      return () => clearTimeout(timer);
    });
  }
}
