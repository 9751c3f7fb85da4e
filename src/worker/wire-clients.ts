import type { ClientEvents, Clients, Protocol, Session, SessionSink } from '../protocols/protocol.js';
import { createWireEngine } from '../wire/engine.js';
import type { DeliveryBatch, DropMode, WireEngine, WireSetup, WireSink } from '../wire/wire.js';

/** Clients of the wire kind: our sockets with one protocol session each. */
export class WireClients implements Clients {
  readonly #protocol: Protocol;
  readonly #payload: (sequence: number) => string;
  readonly #events: ClientEvents;
  readonly #engine: WireEngine;
  readonly #sessions: (Session | undefined)[];

  /** `payload` gives the data of this run with a sequence number, as JSON text. */
  constructor(protocol: Protocol, setup: WireSetup, payload: (sequence: number) => string, events: ClientEvents) {
    this.#protocol = protocol;
    this.#payload = payload;
    this.#events = events;
    this.#sessions = new Array<Session | undefined>(setup.capacity).fill(undefined);
    this.#engine = createWireEngine(setup, this.#sink());
  }

  open(client: number): void {
    this.#sessions[client] ??= this.#protocol.session(new ClientSink(client, this));
    this.#engine.open(client);
  }

  subscribe(client: number, stream: string): void {
    this.#sessions[client]?.subscribe(stream);
  }

  echo(client: number, sequence: number): void {
    this.#sessions[client]?.echo?.(this.#payload(sequence));
  }

  whisper(client: number, stream: string, sequence: number): void {
    this.#sessions[client]?.whisper?.(stream, this.#payload(sequence));
  }

  broadcast(client: number, stream: string, sequence: number): void {
    this.#sessions[client]?.broadcast?.(stream, this.#payload(sequence));
  }

  drop(client: number, mode: DropMode): void {
    this.#engine.drop(client, mode);
  }

  dispose(): void {
    this.#engine.dispose();
  }

  #sink(): WireSink {
    const sessions = this.#sessions;
    const sink: WireSink = {
      opened: (client, tcpNs, upgradeNs, subprotocol) => {
        this.#events.opened(client, tcpNs, upgradeNs);
        sessions[client]?.opened(subprotocol);
      },
      message: (client, bytes, isBinary) => {
        if (isBinary) this.refused(client, 'a binary message');
        else sessions[client]?.received(bytes);
      },
      deliveries: (batch: DeliveryBatch) => this.#events.deliveries(batch),
      acknowledgements: (batch: DeliveryBatch) => this.#events.acknowledgements?.(batch),
      closed: (client, cause, wasOpen) => this.#events.closed(client, cause, wasOpen),
    };
    // Only protocols that resume pay for a call per delivery.
    if (this.#protocol.verbs.includes('resume')) {
      sink.position = (client, bytes, start, end) => sessions[client]?.position?.(bytes, start, end);
    }
    return sink;
  }

  // --- from the sessions

  send(client: number, text: string): void {
    this.#engine.send(client, text);
  }

  ready(client: number): void {
    this.#events.ready(client);
  }

  subscribed(client: number, stream: string): void {
    this.#events.subscribed(client, stream);
  }

  refused(client: number, word: string): void {
    this.#engine.drop(client, 'close', `rejected:${word}`);
  }

  resumed(client: number, wasRecovered: boolean): void {
    this.#events.resumed(client, wasRecovered);
  }
}

/** What one session speaks through. */
class ClientSink implements SessionSink {
  constructor(
    private readonly client: number,
    private readonly clients: WireClients,
  ) {}

  send(text: string): void {
    this.clients.send(this.client, text);
  }

  ready(): void {
    this.clients.ready(this.client);
  }

  subscribed(stream: string): void {
    this.clients.subscribed(this.client, stream);
  }

  refused(word: string): void {
    this.clients.refused(this.client, word);
  }

  resumed(wasRecovered: boolean): void {
    this.clients.resumed(this.client, wasRecovered);
  }
}
