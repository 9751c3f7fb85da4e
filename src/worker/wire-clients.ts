import type { ClientEvents, Clients, Protocol, Session, SessionSink } from '../protocols/protocol.js';
import { createWireEngine } from '../wire/engine.js';
import type { Cause, DeliveryBatch, DropMode, WireEngine, WireSetup, WireSink } from '../wire/wire.js';

/** Clients of the wire kind: our sockets with one protocol session each. */
export class WireClients implements Clients, WireSink {
  readonly #protocol: Protocol;
  readonly #events: ClientEvents;
  readonly #engine: WireEngine;
  readonly #sessions: (Session | undefined)[];

  constructor(protocol: Protocol, setup: WireSetup, events: ClientEvents) {
    this.#protocol = protocol;
    this.#events = events;
    this.#sessions = new Array<Session | undefined>(setup.capacity).fill(undefined);
    this.#engine = createWireEngine(setup, this);
  }

  open(client: number): void {
    this.#sessions[client] ??= this.#protocol.session(new ClientSink(client, this.#engine, this.#events));
    this.#engine.open(client);
  }

  subscribe(client: number, stream: string): void {
    this.#sessions[client]?.subscribe(stream);
  }

  drop(client: number, mode: DropMode): void {
    this.#engine.drop(client, mode);
  }

  dispose(): void {
    this.#engine.dispose();
  }

  opened(client: number, tcpNs: number, upgradeNs: number, subprotocol: string): void {
    this.#events.opened(client, tcpNs, upgradeNs);
    this.#sessions[client]?.opened(subprotocol);
  }

  message(client: number, bytes: Uint8Array): void {
    this.#sessions[client]?.received(bytes);
  }

  position(client: number, bytes: Uint8Array, start: number, end: number): void {
    this.#sessions[client]?.position?.(bytes, start, end);
  }

  deliveries(batch: DeliveryBatch): void {
    this.#events.deliveries(batch);
  }

  closed(client: number, cause: Cause, wasOpen: boolean): void {
    this.#events.closed(client, cause, wasOpen);
  }
}

/** What one session speaks through. */
class ClientSink implements SessionSink {
  readonly #client: number;
  readonly #engine: WireEngine;
  readonly #events: ClientEvents;

  constructor(client: number, engine: WireEngine, events: ClientEvents) {
    this.#client = client;
    this.#engine = engine;
    this.#events = events;
  }

  send(text: string): void {
    this.#engine.send(this.#client, text);
  }

  ready(): void {
    this.#events.ready(this.#client);
  }

  subscribed(stream: string): void {
    this.#events.subscribed(this.#client, stream);
  }

  refused(word: string): void {
    this.#events.closed(this.#client, `rejected:${word}`, true);
    this.#engine.drop(this.#client, 'close');
  }

  resumed(wasRecovered: boolean): void {
    this.#events.resumed(this.#client, wasRecovered);
  }
}
