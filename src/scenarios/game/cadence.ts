import type { Clients } from '../../protocols/protocol.js';
import { aheadNs } from '../sends/schedule.js';
import type { Sends } from '../sends/sends.js';

/**
 * The open schedules by which players send one kind of message. What a player sends next depends on whether the last
 * one left, as a server takes the keys of a passage in their order: it is handed over once that is known.
 */
export class Cadence {
  /** By client, when its next send is due, or the one that was handed over ahead. */
  readonly #dueNs: Float64Array;
  readonly #isAhead: Uint8Array;

  constructor(
    clientCount: number,
    private readonly everyNs: number,
    private readonly sends: Sends,
    private readonly next: { sequenceOf(client: number): number },
  ) {
    this.#dueNs = new Float64Array(clientCount);
    this.#isAhead = new Uint8Array(clientCount);
  }

  begin(client: number, atNs: number): void {
    this.#dueNs[client] = atNs;
  }

  /** Sends what is due by `atNs`; hands over what is due soon after it and before `endNs`, if the clients take that. */
  send(clients: Clients, client: number, atNs: number, endNs: number): void {
    while (this.#isAhead[client] === 0) {
      const dueNs = this.#dueNs[client] as number;
      const sequence = this.next.sequenceOf(client);
      if (dueNs <= atNs) this.sends.now(clients, client, sequence);
      else if (!clients.sendsAhead || dueNs > atNs + aheadNs || dueNs >= endNs) return;
      else if (this.sends.ahead(clients, client, sequence, dueNs)) this.#isAhead[client] = 1;
      else return;
    }
  }

  /** What became of a client's last send is known. Gives when that was due. */
  settle(client: number): number {
    const dueNs = this.#dueNs[client] as number;
    this.#dueNs[client] = dueNs + this.everyNs;
    this.#isAhead[client] = 0;
    return dueNs;
  }
}
