import { inspect } from 'node:util';
import { type CrowdSize, crowdFigure, crowdGate } from '../../scenarios/rounds.js';
import { outsideText } from '../../units/text.js';
import { duration, longestMs } from '../../units/unit.js';
import { Left, type Me, type Time } from '../api.js';
import { cleanName } from '../figures.js';

/** The cause of a wait that the end of the load cuts off. */
const endedCause = 'ended';
const mostGates = 20;

/** Returns a time in milliseconds. Throws a `RangeError` that begins with `what`, such as `me.sleep`. */
export function msOf(time: Time, what: string): number {
  const ms = typeof time === 'string' ? duration.parse(time) : time;
  if (typeof ms === 'number' && ms >= 0 && ms <= longestMs) return ms;
  const expected = 'a time such as 250ms, 2s or 5m, or a number of milliseconds, at most 24 days';
  throw new RangeError(`${what}: expected ${expected}, received ${outsideText(inspect(time), 60)}`);
}

/** How a wait may fail: by that cause after `withinMs`, or by another. `failed` then gets what it rejects with. */
export interface WaitLimit {
  withinMs?: number | undefined;
  cause: string;
  message?: string;
  failed?(failure: Left): void;
}

/** Ends one wait. Only the first call counts. */
export class Wait<T> {
  cleanUp: (() => void) | undefined;
  timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly waits: Waits,
    private readonly resolve: (value: T) => void,
    private readonly reject: (failure: Left) => void,
    /** Has the line of the user's code that waits. Left out if the wait ends well or with the client. */
    private readonly site: Left | undefined,
    private readonly failed: WaitLimit['failed'],
  ) {}

  done(value: T): void {
    if (this.#isFirst()) this.resolve(value);
  }

  /** Rejects with the cause of a failure, which may end many waits, at the line of this one. */
  fail(failure: Left): void {
    if (!this.#isFirst()) return;
    const { cause, message } = failure;
    const own = this.site ? Object.assign(this.site, { cause, message }) : failure;
    this.failed?.(own);
    this.reject(own);
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

  /** Begins a wait. `begin` may return what cleans up behind it. */
  wait<T>(begin: (wait: Wait<T>) => (() => void) | undefined, limit?: WaitLimit): Promise<T> {
    const site = limit && new Left(limit.cause, limit.message);
    return new Promise((resolve, reject) => {
      const pending = this.#listening();
      const wait = new Wait(this, resolve, reject, site, limit?.failed);
      pending.add(wait);
      // Later, so that a flow that waits again and again leaves the others their time.
      if (this.signal.aborted) {
        setImmediate(() => wait.fail(new Left(endedCause)));
        return;
      }
      if (site && limit.withinMs !== undefined) wait.timer = setTimeout(() => wait.fail(site), limit.withinMs);
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

type TogetherOptions = NonNullable<Parameters<Me['together']>[1]>;

/** The places where a worker's clients wait for those of the whole run. A gate stays open. */
export class Gates {
  readonly #open = new Set<string>();
  readonly #waiting = new Map<string, Set<Wait<void>>>();

  async come(name: string, { of, within }: TogetherOptions, waits: Waits): Promise<void> {
    const gate = cleanName(name).replaceAll(/[: ]/g, '-');
    const withinMs = within === undefined ? undefined : msOf(within, 'me.together: within');
    const waiting = this.#crowdOf(crowdFigure(gate, sizeOf(of)));
    if (this.#open.has(gate)) return;
    await waits.wait<void>(
      (wait) => {
        waiting.add(wait);
        return () => waiting.delete(wait);
      },
      withinMs === undefined ? undefined : { withinMs, cause: `within: together ${gate}` },
    );
  }

  #crowdOf(figure: string): Set<Wait<void>> {
    const known = this.#waiting.get(figure);
    if (known) return known;
    if (this.#waiting.size >= mostGates) {
      const most = `me.together: expected at most ${mostGates} names and sizes in a run, received one more, ${figure}`;
      throw new RangeError(`${most}: the clients of one room can wait for a message of the server`);
    }
    const waiting = new Set<Wait<void>>();
    this.#waiting.set(figure, waiting);
    return waiting;
  }

  /** Lets all clients through a gate, by its whole name. */
  opened(gate: string): void {
    this.#open.add(gate.slice(crowdGate.length));
    for (const [figure, waiting] of this.#waiting) {
      if (!figure.startsWith(`${gate}:`)) continue;
      for (const wait of waiting) wait.done();
    }
  }

  /** Returns live figures of the gates, which add up over workers and shards. */
  figures(): Record<string, number> {
    return Object.fromEntries([...this.#waiting].map(([figure, { size }]) => [figure, size]));
  }
}

function sizeOf(of: TogetherOptions['of']): CrowdSize {
  if (of === undefined) return { share: 1 };
  const percent = typeof of === 'string' ? Number(/^(\d+(?:\.\d+)?)%$/.exec(of)?.[1]) : undefined;
  if (percent !== undefined && percent > 0 && percent <= 100) return { share: percent / 100 };
  if (typeof of === 'number' && Number.isSafeInteger(of) && of > 0) return { clients: of };
  const expected = 'me.together: of: expected a number of clients or a share such as 50%';
  throw new RangeError(`${expected}, received ${outsideText(String(of), 60)}`);
}
