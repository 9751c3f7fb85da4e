import type { Any, FlowMessage, Left, Match, OpenOptions } from '../api.js';
import type { Wait } from '../client/waits.js';
import type { FlowWorker } from '../parts.js';

const usualInbox = 1000;

/** A message of the target, which is read when the first asks for it. */
export class InboxMessage implements FlowMessage {
  /** Number of the message on its socket, from 1. */
  place = 0;
  #json: unknown;
  #isRead = false;

  constructor(
    readonly data: string | Uint8Array,
    readonly at: number,
    readonly notBefore: number,
    private readonly read: (data: string | Uint8Array) => unknown,
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

interface PendingAsk {
  /** Left out if the id pairs it. */
  match: Match | undefined;
  wait: Wait<never>;
  answered(message: InboxMessage): void;
}

/** Keeps the messages of one socket until the flow asks for them, and those that wait for one. */
export class Inbox {
  readonly asks = new Map<unknown, PendingAsk>();
  readonly #kept: InboxMessage[] = [];
  readonly #waiters = new Set<{ match: Match | undefined; wait: Wait<InboxMessage> }>();
  readonly #listeners = new Set<{ match: Match; then(message: InboxMessage): void }>();

  /** Messages so far. */
  place = 0;
  #ended: Left | undefined;

  constructor(
    private readonly worker: Pick<FlowWorker, 'figures' | 'nowNs' | 'user'>,
    private readonly options: Pick<OpenOptions, 'idOf' | 'inbox'>,
  ) {}

  listen(match: Match, then: (message: InboxMessage) => void): () => void {
    const listener = { match, then };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Gives a message to the ask that it answers, or to all listeners that it fits and the first that waits for it.
   * Nobody's message is kept. A listener or a test that throws takes it from nobody else.
   */
  put(message: InboxMessage): void {
    message.place = ++this.place;
    const { figures, user } = this.worker;
    const asked = this.asks.size > 0 ? user.entered(() => this.#askedWith(message)) : undefined;
    if (asked !== undefined) {
      this.#reached(message, 'promise');
      asked.answered(message);
      return;
    }
    let isTaken = false;
    for (const { match, then } of this.#listeners) {
      if (!user.entered(() => fits(match, message))) continue;
      if (!isTaken) this.#reached(message, 'call');
      isTaken = true;
      user.entered(() => then(message));
    }
    for (const { match, wait } of this.#waiters) {
      if (!user.entered(() => fits(match, message))) continue;
      if (!isTaken) this.#reached(message, 'promise');
      wait.done(message);
      return;
    }
    if (isTaken) return;
    this.#kept.push(message);
    if (this.#kept.length <= (this.options.inbox ?? usualInbox)) return;
    this.#kept.shift();
    figures.count('overflowed');
  }

  #askedWith(message: InboxMessage): PendingAsk | undefined {
    const { idOf = (json: Any) => json?.id } = this.options;
    const asked = this.asks.get(idOf(message.json));
    if (asked !== undefined) return asked;
    for (const each of this.asks.values()) if (each.match !== undefined && fits(each.match, message)) return each;
    return undefined;
  }

  /** Notes how long a message takes from the engine's stamp to the code that awaits it. */
  #reached({ at }: InboxMessage, by: 'call' | 'promise'): void {
    const { figures, nowNs } = this.worker;
    const note = (): void => figures.time('reaction', nowNs() / 1000 - at * 1000);
    // Code behind a promise goes on after that of all messages before.
    if (by === 'promise') queueMicrotask(note);
    else note();
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

  /** Ends the wait for every answer, as a new connection brings none. */
  failAsks(failure: Left): void {
    for (const { wait } of this.asks.values()) wait.fail(failure);
  }

  /** Ends every wait with a failure, those to come, too. */
  end(failure: Left): void {
    this.#ended = failure;
    for (const { wait } of this.#waiters) wait.fail(failure);
  }
}
