import type { ClientEvents, Clients, DeliveryBatch, DropMode } from '../protocols/protocol.js';

/** Clients dealt over several sets in turn: client i is client `floor(i / n)` of set `i mod n`. */
export class DealtClients implements Clients {
  readonly reconnects?: true;
  readonly #sets: readonly Clients[];

  constructor(sets: readonly Clients[]) {
    this.#sets = sets;
    // All sets are of one kind.
    if (sets[0]?.reconnects) this.reconnects = true;
  }

  open(client: number): void {
    this.#set(client).open(this.#inSet(client));
  }

  subscribe(client: number, stream: string): void {
    this.#set(client).subscribe(this.#inSet(client), stream);
  }

  echo(client: number, sequence: number): void {
    this.#set(client).echo?.(this.#inSet(client), sequence);
  }

  whisper(client: number, stream: string, sequence: number): void {
    this.#set(client).whisper?.(this.#inSet(client), stream, sequence);
  }

  broadcast(client: number, stream: string, sequence: number): void {
    this.#set(client).broadcast?.(this.#inSet(client), stream, sequence);
  }

  drop(client: number, mode: DropMode): void {
    this.#set(client).drop(this.#inSet(client), mode);
  }

  dispose(): void {
    for (const set of this.#sets) set.dispose();
  }

  #set(client: number): Clients {
    return this.#sets[client % this.#sets.length] as Clients;
  }

  #inSet(client: number): number {
    return Math.floor(client / this.#sets.length);
  }
}

/** The events of set `index` of `of`, told under the clients' own numbers. */
export function dealtEvents(events: ClientEvents, index: number, of: number): ClientEvents {
  const whole = (client: number): number => client * of + index;
  const underOwnNumbers = (batch: DeliveryBatch): DeliveryBatch => {
    for (let i = 0; i < batch.count; i++) batch.client[i] = whole(batch.client[i] as number);
    return batch;
  };
  return {
    opened: (client, tcpNs, upgradeNs) => events.opened(whole(client), tcpNs, upgradeNs),
    ready: (client) => events.ready(whole(client)),
    subscribed: (client, stream) => events.subscribed(whole(client), stream),
    closed: (client, cause, wasOpen) => events.closed(whole(client), cause, wasOpen),
    resumed: (client, wasRecovered) => events.resumed(whole(client), wasRecovered),
    deliveries: (batch) => events.deliveries(underOwnNumbers(batch)),
    acknowledgements: (batch) => events.acknowledgements?.(underOwnNumbers(batch)),
  };
}
