import { nowNs } from '../../measure/rig/clock.js';
import type { Cause } from '../../wire/wire.js';
import type { ClientEvents } from '../protocol.js';

const down = 0;
const trying = 1;
const open = 2;

/**
 * Keeps the rules of `ClientEvents` for libraries that report more, or later: every `open` ends in one `opened` or one
 * `closed`, and every `opened` in one `closed`.
 *
 *     down --started--> trying --opened--> open
 *                       trying, open --ended--> down
 */
export class Lifetimes {
  readonly #state: Uint8Array;
  readonly #startedAtNs: Float64Array;
  #isOver = false;

  constructor(
    private readonly events: ClientEvents,
    capacity: number,
  ) {
    this.#state = new Uint8Array(capacity);
    this.#startedAtNs = new Float64Array(capacity);
  }

  /** After disposal nothing may be reported. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** An attempt begins: the connect time counts from here. */
  started(client: number): void {
    this.#state[client] = trying;
    this.#startedAtNs[client] = nowNs();
  }

  /** The WebSocket is open. */
  opened(client: number): void {
    if (this.#isOver || this.#state[client] !== trying) return;
    this.#state[client] = open;
    this.events.opened(client, Number.NaN, nowNs() - this.#startedAtNs[client]!);
  }

  /** An attempt failed, the connection ended, or the user dropped it. */
  ended(client: number, cause: Cause): void {
    if (this.#isOver || this.#state[client] === down) return;
    const wasOpen = this.#state[client] === open;
    this.#state[client] = down;
    this.events.closed(client, cause, wasOpen);
  }

  /** No event follows. */
  dispose(): void {
    this.#isOver = true;
  }
}
