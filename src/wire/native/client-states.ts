import type { EventRing } from './layout.js';

const state = { free: 0, connecting: 1, open: 2, closing: 3 } as const;

/** The states of an engine's clients: free, connecting, open, and closing from our close frame on. */
export class ClientStates {
  readonly #state: Uint8Array;
  /** Distinguishes a client's connection from its earlier ones. */
  readonly #generation: Uint32Array;

  constructor(capacity: number) {
    this.#state = new Uint8Array(capacity);
    this.#generation = new Uint32Array(capacity);
  }

  isFree(client: number): boolean {
    return this.#state[client] === state.free;
  }

  isConnecting(client: number): boolean {
    return this.#state[client] === state.connecting;
  }

  isOpen(client: number): boolean {
    return this.#state[client] === state.open;
  }

  isClosing(client: number): boolean {
    return this.#state[client] === state.closing;
  }

  isEstablished(client: number): boolean {
    return this.#state[client]! >= state.open;
  }

  /** Returns true if the event is of the client's present connection. */
  isOf(events: EventRing, at: number): boolean {
    const client = events.client[at]!;
    return this.#state[client] !== state.free && events.generation[at] === this.#generation[client];
  }

  generation(client: number): number {
    return this.#generation[client]!;
  }

  connects(client: number): void {
    this.#state[client] = state.connecting;
    this.#generation[client]!++;
  }

  opened(client: number): void {
    this.#state[client] = state.open;
  }

  closes(client: number): void {
    this.#state[client] = state.closing;
  }

  ended(client: number): void {
    this.#state[client] = state.free;
  }

  allEnded(): void {
    this.#state.fill(state.free);
  }
}
