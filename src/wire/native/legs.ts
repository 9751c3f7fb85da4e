import { eventLoop } from '../turns.js';
import type { DeliveryBatch } from '../wire.js';

/**
 * How long each client's target had the word, at least. As `wire/legs.ts`, by the threads' stamps: a leg begins when
 * what we said had left, at the earliest when the answer before was handled here, and ends when the answer came.
 */
export class NativeLegs {
  readonly #sumNs: Float64Array;
  readonly #handledAtNs: Float64Array;
  #batch: DeliveryBatch | undefined;
  /** Where the client asked for last stands in the batch: readers ask in its order. */
  #at = 0;
  #arrivedNs = 0;
  /** Of the message that is told of. */
  notBeforeNs = 0;

  /** `leftNs` tells when all that a client said had left; Infinity while something waits. */
  constructor(
    capacity: number,
    private readonly leftNs: (client: number) => number,
  ) {
    this.#sumNs = new Float64Array(capacity);
    this.#handledAtNs = new Float64Array(capacity);
  }

  /** Begins with what was the target's of its handshake, of which the last came at `arrivedNs`. */
  opened(client: number, sumNs: number, arrivedNs: number): void {
    this.#sumNs[client] = sumNs;
    this.#arrivedNs = arrivedNs;
    this.handled(client);
  }

  began(client: number): void {
    this.#sumNs[client] = 0;
  }

  took(client: number, notBeforeNs: number, leftNs: number, arrivedNs: number): void {
    this.#arrivedNs = arrivedNs;
    this.notBeforeNs = notBeforeNs;
    const legNs = notBeforeNs - Math.max(leftNs, this.#handledAtNs[client] as number);
    if (legNs > 0) this.#sumNs[client] = (this.#sumNs[client] as number) + legNs;
    this.handled(client);
  }

  handled(client: number): void {
    this.#handledAtNs[client] = eventLoop.nowNs();
  }

  /** While deliveries are handed over, those asked for count as answers. */
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
    return this.#sumNs[client] as number;
  }

  #tookDelivery(client: number, { notBeforeNs, receivedAtNs }: DeliveryBatch): void {
    this.took(client, notBeforeNs[this.#at] as number, this.leftNs(client), receivedAtNs[this.#at] as number);
  }

  /** When what is being told of a client came. */
  arrivedAtNs(client: number): number {
    const batch = this.#batch;
    return batch !== undefined && this.#find(batch, client)
      ? (batch.receivedAtNs[this.#at] as number)
      : this.#arrivedNs;
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
