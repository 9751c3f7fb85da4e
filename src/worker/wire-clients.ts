import type { Talk } from '../measure/causes.js';
import {
  type ClientEvents,
  type Clients,
  causeInWords,
  type Protocol,
  type ProtocolValues,
  type Session,
  type SessionSink,
} from '../protocols/protocol.js';
import { Trails } from '../protocols/trails.js';
import { valuesIn } from '../units/slots.js';
import { createEngine, type EngineChoice, type EngineWork } from '../wire/choice.js';
import { Pings } from '../wire/replies.js';
import type { Cause, DeliveryBatch, DropMode, Engine, SendBatch, WireSetup, WireSink } from '../wire/wire.js';

/** Clients of the wire kind: our own sockets, with one protocol session each. */
export class WireClients implements Clients {
  readonly #engine: Engine;
  readonly #sessions: (Session | undefined)[];
  readonly #ticks: Ticks | undefined;
  readonly #pings = new Pings();
  readonly #trails: Trails;
  /** Due time of the session's next send, 0 for now, and its sequence number. */
  readonly #say = { dueNs: 0, token: 0 };
  readonly #found = new FoundBySession();
  #handedOver = 0;

  /** `payload`: data of this run with a sequence number, as JSON text. */
  constructor(
    private readonly protocol: Protocol,
    private readonly setup: WireSetup & {
      engine: EngineChoice;
      options: ProtocolValues;
      payload: (sequence: number) => string;
      trails?: Trails;
    },
    private readonly events: ClientEvents,
  ) {
    this.#trails = setup.trails ?? new Trails();
    this.#sessions = new Array<Session | undefined>(setup.capacity).fill(undefined);
    this.#engine = createEngine(setup.engine, setup, this.#sink());
    if (protocol.tickMs !== undefined)
      this.#ticks = new Ticks(protocol.tickMs, setup.capacity, (client) => this.#sessions[client]?.tick?.());
  }

  open(client: number): void {
    this.#sessions[client] ??= this.#session(client);
    this.#trails.begun(client);
    this.#engine.open(client);
  }

  #session(client: number): Session {
    const sink = new ClientSink(client, this.#engine, this, this.#trails, this.events, this.#say, this.#found);
    return this.protocol.session(sink, this.setup.options, valuesIn(this.setup, client));
  }

  subscribe(client: number, stream: string): void {
    this.#sessions[client]?.subscribe(stream);
  }

  ping(client: number): void {
    this.#engine.ping(client, this.#pings.payload(client));
  }

  get sendsAhead(): boolean {
    return this.#engine.sendAt !== undefined;
  }

  echo(client: number, sequence: number, dueNs = 0, token = sequence): boolean {
    return this.#plan(dueNs, token, sequence, (data) => this.#sessions[client]?.echo?.(data));
  }

  whisper(client: number, stream: string, sequence: number, dueNs = 0, token = sequence): boolean {
    return this.#plan(dueNs, token, sequence, (data) => this.#sessions[client]?.whisper?.(stream, data));
  }

  broadcast(client: number, stream: string, sequence: number, dueNs = 0): boolean {
    return this.#plan(dueNs, sequence, sequence, (data) => this.#sessions[client]?.broadcast?.(stream, data));
  }

  /** Makes a session send the data of a sequence number, at `dueNs` if that is not 0. */
  #plan(dueNs: number, token: number, sequence: number, say: (data: string) => boolean | undefined): boolean {
    this.#say.dueNs = dueNs;
    this.#say.token = token;
    const isTaken = say(this.setup.payload(sequence)) ?? false;
    this.#say.dueNs = 0;
    return isTaken;
  }

  unsent(client: number): number {
    return this.#engine.unsent(client);
  }

  readAtMost(client: number, bytes: number): void {
    this.#engine.readAtMost(client, bytes);
  }

  leftAtNs(client: number): number {
    return this.#engine.leftAtNs?.(client) ?? Number.POSITIVE_INFINITY;
  }

  leastNs(client: number): number {
    return this.#engine.leastNs(client);
  }

  arrivedAtNs(client: number): number {
    return this.#engine.arrivedAtNs(client);
  }

  drop(client: number, mode: DropMode): void {
    this.#engine.drop(client, mode);
  }

  settled(client: number, cause?: Cause): void {
    this.#trails.settled(client, cause);
  }

  talk(): Talk {
    return this.#trails.talk();
  }

  engines(): EngineWork[] {
    const { name, why } = { why: undefined, ...this.setup.engine };
    return [{ name, ...(why !== undefined && { why }), handedOver: this.#handedOver, ...this.#engine.stats() }];
  }

  dispose(): void {
    this.#ticks?.stop();
    this.#engine.dispose();
  }

  #sink(): WireSink {
    const sessions = this.#sessions;
    const sink: WireSink = {
      opened: (client, tcpNs, upgradeNs, subprotocol, tcpLeastNs, tls) => {
        this.events.opened(client, tcpNs, upgradeNs, tcpLeastNs, tls);
        sessions[client]?.opened(subprotocol);
      },
      message: (client, bytes, isBinary) => {
        const session = sessions[client];
        this.#trails.received(client, bytes, isBinary);
        if (!isBinary) session?.received(bytes);
        else if (session?.receivedBinary) session.receivedBinary(bytes);
        else this.#engine.drop(client, 'close', 'rejected:a binary message');
      },
      turnedAway: (client, answer) => this.#trails.turnedAway(client, answer),
      pong: (client, payload) => {
        if (!this.#pings.isAnswer(client, payload)) return;
        sessions[client]?.ponged?.();
        this.events.ponged?.(client);
      },
      deliveries: (batch: DeliveryBatch) => {
        this.#handedOver += batch.count;
        this.events.deliveries(batch);
      },
      acknowledgements: (batch: DeliveryBatch) => {
        this.#handedOver += batch.count;
        this.events.acknowledgements?.(batch);
      },
      sends: (batch: SendBatch) => this.events.sends?.(batch),
      closed: (client, cause, wasOpen) => {
        this.#pings.forget(client);
        this.events.closed(client, causeInWords(this.protocol, cause), wasOpen);
      },
    };
    // Only protocols that resume need a call per delivery.
    if (this.protocol.verbs.includes('resume')) {
      sink.position = (client, bytes, start, end) => sessions[client]?.position?.(bytes, start, end);
    }
    return sink;
  }
}

class ClientSink implements SessionSink {
  constructor(
    private readonly client: number,
    private readonly engine: Engine,
    private readonly clients: WireClients,
    private readonly trails: Trails,
    private readonly events: ClientEvents,
    private readonly plan: { readonly dueNs: number; readonly token: number },
    private readonly found: FoundBySession,
  ) {}

  send(message: string | Uint8Array): void {
    this.trails.sent(this.client, message);
    this.engine.send(this.client, message, false);
  }

  say(message: string | Uint8Array): boolean {
    this.trails.sent(this.client, message);
    const { dueNs, token } = this.plan;
    if (dueNs === 0) return this.engine.send(this.client, message, true);
    return this.engine.sendAt?.(this.client, message, dueNs, token) ?? false;
  }

  ping(): void {
    this.clients.ping(this.client);
  }

  ready(): void {
    this.events.ready(this.client);
  }

  subscribed(stream: string): void {
    this.events.subscribed(this.client, stream);
  }

  refused(word: string): void {
    this.engine.drop(this.client, 'close', `rejected:${word}`);
  }

  delivered(sequence: number): void {
    this.events.deliveries(this.found.batch(this.engine, this.client, sequence));
  }

  acknowledged(sequence: number): void {
    this.events.acknowledgements?.(this.found.batch(this.engine, this.client, sequence));
  }

  other(bytes: Uint8Array, isBinary = false): void {
    this.trails.other(this.client, bytes, isBinary);
  }

  resumed(wasRecovered: boolean): void {
    this.events.resumed(this.client, wasRecovered);
  }
}

/** Batches sends that sessions find in messages, one at a time, with the stamps of the message. */
class FoundBySession {
  readonly #batch: DeliveryBatch = {
    count: 1,
    client: new Int32Array(1),
    sequence: new Int32Array(1),
    receivedAtNs: new Float64Array(1),
    notBeforeNs: new Float64Array(1),
    flags: new Uint8Array(1),
  };

  batch(engine: Engine, client: number, sequence: number): DeliveryBatch {
    const batch = this.#batch;
    batch.client[0] = client;
    batch.sequence[0] = sequence;
    batch.receivedAtNs[0] = engine.arrivedAtNs(client);
    batch.notBeforeNs[0] = Math.min(engine.notBeforeNs(client), engine.arrivedAtNs(client));
    return batch;
  }
}

/** Parts of a round. Few clients tick together. */
const slots = 100;

/** Ticks each client once in `everyMs`, spread over that time, so that not all clients send at once. */
export class Ticks {
  readonly #timer: NodeJS.Timeout;
  #slot = 0;

  constructor(everyMs: number, capacity: number, tick: (client: number) => void) {
    this.#timer = setInterval(() => {
      for (let client = this.#slot; client < capacity; client += slots) tick(client);
      this.#slot = (this.#slot + 1) % slots;
    }, everyMs / slots);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
