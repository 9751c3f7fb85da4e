import { nowNs } from '../../measure/clock.js';
import type { Cause } from '../../wire/wire.js';
import type { ClientEvents } from '../protocol.js';

const down = 0;
const trying = 1;
const open = 2;

/**
 * Keeps the promise of `ClientEvents` for libraries that retry and reconnect by themselves: every `open` ends in one `opened` or one `closed`,
 * and every `opened` in one `closed`. Retries that fail in between are silent.
 *
 *     down --started--> trying --opened--> open --ended--> down
 *                       trying --ended--> down --opened, by the library itself--> open
 */
export class Lifetimes {
  readonly #events: ClientEvents;
  readonly #state: Uint8Array;
  readonly #isDropping: Uint8Array;
  readonly #startedAtNs: Float64Array;
  #isOver = false;

  constructor(events: ClientEvents, capacity: number) {
    this.#events = events;
    this.#state = new Uint8Array(capacity);
    this.#isDropping = new Uint8Array(capacity);
    this.#startedAtNs = new Float64Array(capacity);
  }

  /** Whether everything was disposed: nothing may be reported any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The user opens the client. False where the library was faster and has it open: then there is nothing to do. */
  started(client: number): boolean {
    if (this.#state[client] === open) return false;
    this.#state[client] = trying;
    this.#isDropping[client] = 0;
    this.attempted(client);
    return true;
  }

  /** An attempt begins, the user's or the library's own: the connect time counts from here. */
  attempted(client: number): void {
    this.#startedAtNs[client] = nowNs();
  }

  /** The WebSocket is open. */
  opened(client: number): void {
    if (this.#isOver || this.#state[client] === open) return;
    this.#state[client] = open;
    this.#isDropping[client] = 0;
    this.#events.opened(client, Number.NaN, nowNs() - this.#startedAtNs[client]!);
  }

  /** The user drops the client: the end that follows is ours. */
  dropping(client: number): void {
    this.#isDropping[client] = 1;
  }

  /** An attempt failed or the connection ended. */
  ended(client: number, cause: Cause): void {
    if (this.#isOver || this.#state[client] === down) return;
    const wasOpen = this.#state[client] === open;
    this.#state[client] = down;
    this.#events.closed(client, this.#isDropping[client] === 1 ? 'ours' : cause, wasOpen);
  }

  /** No event follows. */
  dispose(): void {
    this.#isOver = true;
  }
}
