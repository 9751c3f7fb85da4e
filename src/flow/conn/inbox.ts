import type { Any, FlowMessage, Left, Match } from '../api.js';
import type { Wait } from '../client/waits.js';

/** A message of the target, which is read when the first asks for it. */
export class InboxMessage implements FlowMessage {
  #json: unknown;
  #isRead = false;

  constructor(
    readonly data: string | Uint8Array,
    readonly at: number,
    readonly notBefore: number,
    private readonly read: (data: string | Uint8Array) => unknown,
    /** Number of the message on its socket, from 1. */
    readonly place: number,
  ) {}

  get json(): Any {
    if (!this.#isRead) {
      this.#json = this.read(this.data);
      this.#isRead = true;
    }
    return this.#json;
  }
}

/** Returns true if a message fits: every field, the test, or the pattern. Without a match, all fit. */
export function fits(match: Match | undefined, message: InboxMessage): boolean {
  if (match === undefined) return true;
  if (match instanceof RegExp) return match.test(messageText(message.data));
  if (typeof match === 'function') return Boolean((match as (message: unknown) => boolean)(message.json));
  const json = message.json as Record<string, unknown> | null;
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(match).every(([field, value]) => json[field] === value);
}

export function messageText(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString();
}

/** Returns a message read as JSON, or its text if it is none. */
export function asJson(data: string | Uint8Array): unknown {
  try {
    return JSON.parse(messageText(data));
  } catch {
    return data;
  }
}

/** What an inbox calls. */
export interface InboxMeans {
  /** A message goes because more than the most wait. */
  overflowed(): void;
  /** Runs the user's code. Returns undefined if that throws. */
  guarded<T>(work: () => T): T | undefined;
  /** Called right before a message that somebody awaits is handed over: by a call, or by a promise. */
  reached(message: InboxMessage, by: 'call' | 'promise'): void;
}

/** Keeps the messages of one socket until the flow asks for them, and those that wait for one. */
export class Inbox {
  #kept: InboxMessage[] = [];
  readonly #waiters = new Set<{ match: Match | undefined; wait: Wait<InboxMessage> }>();
  readonly #listeners = new Set<{ match: Match; then(message: InboxMessage): void }>();

  /** Set once no message can come any more. */
  #ended: Left | undefined;

  constructor(
    private readonly most: number,
    private readonly means: InboxMeans,
  ) {}

  listen(match: Match, then: (message: InboxMessage) => void): () => void {
    const listener = { match, then };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Gives a message to all listeners that it fits, and to the first that waits for it. Nobody's message is kept. A
   * listener or a test that throws takes it from nobody else.
   */
  put(message: InboxMessage): void {
    let isTaken = false;
    for (const { match, then } of this.#listeners) {
      if (!this.means.guarded(() => fits(match, message))) continue;
      if (!isTaken) this.means.reached(message, 'call');
      isTaken = true;
      this.means.guarded(() => then(message));
    }
    for (const waiter of this.#waiters) {
      if (!this.means.guarded(() => fits(waiter.match, message))) continue;
      if (!isTaken) this.means.reached(message, 'promise');
      waiter.wait.done(message);
      return;
    }
    if (isTaken) return;
    if (this.#kept.length >= this.most) {
      this.#kept.shift();
      this.means.overflowed();
    }
    this.#kept.push(message);
  }

  /** Takes the first kept message after a place that fits, or undefined. */
  taken(match: Match | undefined, after = 0): InboxMessage | undefined {
    const at = this.#kept.findIndex((each) => each.place > after && fits(match, each));
    return at < 0 ? undefined : this.#kept.splice(at, 1)[0];
  }

  /** Ends a wait with the next message that fits. Returns what takes it back. */
  wait(match: Match | undefined, wait: Wait<InboxMessage>): () => void {
    const waiter = { match, wait };
    this.#waiters.add(waiter);
    const ended = this.#ended;
    // Later, so that a flow that waits again and again leaves the others their time.
    if (ended !== undefined) setImmediate(() => wait.fail(ended));
    return () => void this.#waiters.delete(waiter);
  }

  /** Ends every wait with a failure, those to come, too. */
  end(failure: Left): void {
    this.#ended = failure;
    for (const { wait } of this.#waiters) wait.fail(failure);
  }
}
