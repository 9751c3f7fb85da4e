import { eventLoop } from '../turns.js';
import type { DeliveryBatch } from '../wire.js';
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

/**
 * Sums how long each client's target was at work, at least. Works as `wire/legs.ts`, by the threads'
 * stamps. A leg begins when our bytes had left, and no earlier than the previous answer was handled here. It ends when
 * the answer came.
 */
export class NativeLegs {
  readonly #sumNs: Float64Array;
  readonly #handledAtNs: Float64Array;
  #batch: DeliveryBatch | undefined;
  /** Place in the batch of the last requested client. Readers ask in the order of the batch. */
  #at = 0;
  #arrivedNs = 0;
  /** Lower bound of the arrival of the message that is being reported. */
  notBeforeNs = 0;

  /** `leftNs` returns the time when all bytes of a client had left, or Infinity while some wait. */
  constructor(
    capacity: number,
    private readonly leftNs: (client: number) => number,
  ) {
    this.#sumNs = new Float64Array(capacity);
    this.#handledAtNs = new Float64Array(capacity);
  }

  /** Begins with the target's part of the handshake, whose last bytes came at `arrivedNs`. */
  opened(client: number, sumNs: number, arrivedNs: number): void {
    this.#sumNs[client] = sumNs;
    this.#arrivedNs = arrivedNs;
    this.handled(client);
  }

  began(client: number): void {
    this.#sumNs[client] = 0;
  }

  took(client: number, notBeforeNs: number, leftNs: number, arrivedNs: number): void {
    this.brought(notBeforeNs, arrivedNs);
    const legNs = notBeforeNs - Math.max(leftNs, this.#handledAtNs[client]!);
    if (legNs > 0) this.#sumNs[client]! += legNs;
    this.handled(client);
  }

  /** A delivery is being reported, as `took`, but it answers nothing yet. */
  brought(notBeforeNs: number, arrivedNs: number): void {
    this.notBeforeNs = notBeforeNs;
    this.#arrivedNs = arrivedNs;
  }

  handled(client: number): void {
    this.#handledAtNs[client] = eventLoop.nowNs();
  }

  /** Counts the requested deliveries as answers while they are handed over. */
  begin(batch: DeliveryBatch): void {
    this.#batch = batch;
    this.#at = 0;
  }

  end(): void {
    this.#batch = undefined;
  }

  sumNs(client: number): number {
    const batch = this.#batch;
    if (batch !== undefined && this.#find(batch, client)) this.#tookDelivery(client, batch);
    return this.#sumNs[client]!;
  }

  #tookDelivery(client: number, { notBeforeNs, receivedAtNs }: DeliveryBatch): void {
    this.took(client, notBeforeNs[this.#at]!, this.leftNs(client), receivedAtNs[this.#at]!);
  }

  /** Returns the arrival time of the client's message that is being reported. */
  arrivedAtNs(client: number): number {
    const batch = this.#batch;
    return batch !== undefined && this.#find(batch, client) ? batch.receivedAtNs[this.#at]! : this.#arrivedNs;
  }

  #find({ count, client: clients }: DeliveryBatch, client: number): boolean {
    for (let i = 0; i < count; i++) {
      const at = this.#at + i < count ? this.#at + i : this.#at + i - count;
      if (clients[at] !== client) continue;
      this.#at = at;
      return true;
    }
    return false;
  }
}
