import { outsideText } from '../units/text.js';
import { Left } from './api.js';

/** Begins the name of a user's source in the source map of a bundle. */
export const sourceScheme = 'flow:';
/** Begins the name of a package's source there. */
export const packageScheme = 'package:';

const frame = new RegExp(`\\b${sourceScheme}(.+?:\\d+):\\d+\\)?$`, 'm');

/** Returns the line of a user's file where an error came from, such as `chat.ts:14`. Undefined if none took part. */
export function lineOfError(error: unknown): string | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  const line = frame.exec(stack ?? '')?.[1];
  return line === undefined ? undefined : outsideText(line);
}

/** Returns true if the code of a bundle threw an error: a user's, or that of a package in it. */
export function isOfBundle(error: unknown): boolean {
  return !(error instanceof Error) || new RegExp(`\\b(${sourceScheme}|${packageScheme})`).test(error.stack ?? '');
}

/** Describes what a user's code threw: its message, and its line if that is known. */
export function thrownInWords(error: unknown, name: string): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `${lineOfError(error) ?? name}: ${outsideText(message)}`;
}

/** Returns the cause that the ledger counts for an error: its own, or that it is of the user's code. */
export function causeOfFlow(error: unknown): string {
  if (error instanceof Left) return error.cause;
  return `user:${error instanceof Error ? error.message || error.name : String(error)}`;
}

/** Returns that cause with the line where it came from. */
export function causeWithLine(error: unknown): string {
  const line = lineOfError(error);
  return outsideText(`${causeOfFlow(error)}${line ? ` at ${line}` : ''}`);
}

/** Measures the time in a user's code: each call into it, and the promises that continue it. That time is the rig's. */
export class UserTime {
  #ns = 0;
  #depth = 0;
  #fromNs = 0;
  #isContinuing = false;

  /** `caught` receives what the user's code throws. */
  constructor(
    private readonly nowNs: () => number,
    readonly caught: (error: unknown) => void,
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

/** Such errors in a second of one worker from which the run stops, as the flow has lost control. */
const mostPerSecond = 100;

/** What `UncaughtErrors` calls. `unawaited` gets a wait that failed while nobody awaited it. */
export interface UncaughtMeans {
  nowNs(): number;
  over: { readonly signal: AbortSignal };
  user: Pick<UserTime, 'caught'>;
  unawaited(failure: Left): void;
}

/** Counts errors of users' code that nobody caught or awaited. A few end nothing; a storm stops the run. */
export class UncaughtErrors {
  #second = Number.NEGATIVE_INFINITY;
  #errors = 0;

  /** `stop` gets the evidence, once. */
  constructor(
    private readonly means: UncaughtMeans,
    private readonly stop: (evidence: string) => void,
  ) {}

  /** Takes a rejection that nobody awaits. Waits of ours fail by what the target does, so none is the user's error. */
  rejected(error: unknown): void {
    if (!(error instanceof Left)) this.thrown(error);
    // The end of the run ends every wait, those that nobody awaits, too.
    else if (!this.means.over.signal.aborted) this.means.unawaited(error);
  }

  thrown(error: unknown): void {
    this.means.user.caught(error);
    const second = Math.floor(this.means.nowNs() / 1e9);
    if (second !== this.#second) [this.#second, this.#errors] = [second, 0];
    this.#errors++;
    if (this.#errors === mostPerSecond)
      this.stop(
        `${mostPerSecond} errors in a second that nobody caught, the last ${thrownInWords(error, 'in a package')}`,
      );
  }
}
