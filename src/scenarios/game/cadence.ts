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
    private readonly sequenceOf: (client: number) => number,
  ) {
    this.#dueNs = new Float64Array(clientCount);
    this.#isAhead = new Uint8Array(clientCount);
  }

  begin(client: number, atNs: number): void {
    this.#dueNs[client] = atNs;
  }

  /** Sends what is due by `atNs`; hands over what is due soon after it and before `endNs`, if the clients take that. */
  send(sends: Sends, clients: Clients, client: number, atNs: number, endNs: number): void {
    const due = (): number => this.#dueNs[client] as number;
    while (this.#isAhead[client] === 0 && due() <= atNs) sends.now(clients, client, this.sequenceOf(client));
    if (!clients.sendsAhead || this.#isAhead[client] === 1 || due() > atNs + aheadNs || due() >= endNs) return;
    if (sends.ahead(clients, client, this.sequenceOf(client), due())) this.#isAhead[client] = 1;
  }

  /** What became of a client's last send is known. Gives when that was due. */
  settle(client: number): number {
    const dueNs = this.#dueNs[client] as number;
    this.#dueNs[client] = dueNs + this.everyNs;
    this.#isAhead[client] = 0;
    return dueNs;
  }
}
