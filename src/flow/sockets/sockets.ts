import { nowNs } from '../../measure/rig/clock.js';
import type { SendOutlet } from '../../scenarios/traffic/send-clock.js';
import {
  type Cause,
  type DeliveryBatch,
  type DropMode,
  type Engine,
  type EngineStats,
  type SendBatch,
  type SendMessage,
  type WireSetup,
  type WireSink,
  wholeMessage,
} from '../../wire/wire.js';
import { FreeIds } from './free-ids.js';

/** A socket that a client of a flow opens. */
export interface SocketRequest {
  url: URL;
  subprotocols: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** Set if messages with a mark go to `events.message`, too. */
  seesMarked: boolean;
  /** Number of the client within its worker. Batches name it, too. */
  client: number;
  events: SocketEvents;
}

/** Receives the events of one socket, during the dispatch of the engine. No call may throw. */
export interface SocketEvents {
  /** Durations in nanoseconds, as in `WireSink.opened`. `leastNs` is the part of both that is at least the target's. */
  opened(subprotocol: string, times: { tcpNs: number; upgradeNs: number; leastNs: number }): void;
  /** `bytes` is valid only during the call. The message arrived between the two instants of the engine's clock. */
  message(bytes: Uint8Array, isBinary: boolean, receivedAtNs: number, notBeforeNs: number): void;
  /** A pong, requested or not. `payload` is valid only during the call. */
  pong?(payload: Uint8Array): void;
  /** `code` and `reason` are of the target's close frame: 1005 if that has no code, 1006 and empty without a frame. */
  closed(cause: Cause, wasOpen: boolean, code: number, reason: string): void;
}

/** One socket of a client on an engine. It takes no message while 1 MiB waits. `buffered` is in bytes. */
export interface FlowSocket extends SendOutlet<SendMessage> {
  /** Sends a ping of at most 125 bytes. */
  ping(payload: Uint8Array): void;
  /** Sends a close frame, without a code for 1005. Messages go on until the target's close frame, or for 5 s. */
  close(code: number, reason: string): void;
  drop(mode: DropMode, cause?: Cause): void;
  /** Returns when all bytes given to the socket had left, in nanoseconds; Infinity while that is unknown. */
  leftAtNs(): number;
}

/** What the sockets of a worker need. */
export interface SocketMeans {
  /** All of a setup that the sockets of one worker share. */
  shared: Pick<WireSetup, 'localAddresses' | 'caPem' | 'isInsecure' | 'connectTimeoutMs' | 'scan'>;
  /** Number of clients, for the size of an engine. */
  clientCount: number;
  createEngine(isTls: boolean, setup: WireSetup, sink: WireSink): Engine;
  /** Deliveries found by their mark. `client` is the number of the client within the worker. */
  deliveries(batch: DeliveryBatch): void;
  sends(batch: SendBatch): void;
}

/** Describes the work of one engine. Its sockets received `handedOver` deliveries. */
export interface SocketWork extends EngineStats {
  isTls: boolean;
  handedOver: number;
  /** How long native threads waited for this event loop to take what they had, in nanoseconds. */
  heldUpNs: number;
}

/** The sockets of a worker's clients, on one engine or more for each origin and kind. */
export class Sockets {
  /** Engines by origin and kind, each made for the first socket that needs it. */
  readonly #engines = new Map<string, SocketEngine[]>();

  constructor(
    private readonly means: SocketMeans,
    private readonly now: () => number = nowNs,
  ) {}

  /** Begins to connect. Events come later. Throws a `TypeError` for a wrong header, or an `Error` without an engine. */
  open(request: SocketRequest): FlowSocket {
    const { url, seesMarked } = request;
    const key = `${url.protocol}//${url.host} ${seesMarked}`;
    let engines = this.#engines.get(key);
    if (engines === undefined) {
      engines = [];
      this.#engines.set(key, engines);
    }
    const roomy = engines.find((engine) => engine.hasRoom());
    if (roomy !== undefined) return roomy.open(request);
    const further = new SocketEngine(this.means, url, seesMarked, this.now);
    engines.push(further);
    return further.open(request);
  }

  stats(): SocketWork[] {
    return [...this.#engines.values()].flat().map((engine) => engine.stats());
  }

  /** Ends every socket. No event follows. */
  dispose(): void {
    for (const engine of [...this.#engines.values()].flat()) engine.dispose();
    this.#engines.clear();
  }
}

const leastSockets = 64;

/**
 * How long an id of the engine rests before another client gets it. Threads of an engine may report deliveries of a
 * connection for some time after its end, and these name only the id.
 */
const restNs = 1e9;

/** An engine for one origin and kind, and the sockets on it. Ids of the engine go from client to client. */
class SocketEngine implements WireSink {
  readonly #engine: Engine;
  readonly #sockets: (EngineSocket | undefined)[];
  readonly #ids: FreeIds;
  readonly #isTls: boolean;
  /** The client whose deliveries an id has: that of its last open connection. */
  readonly #clientOf: Int32Array;
  /** Numbers of sends that are handed over and not yet reported. Their reports name the id. */
  readonly #underWay: Uint32Array;
  readonly #deliveries = new ByClient();
  readonly #sends = new ByClient();
  #handedOver = 0;
  /** Left out if marked messages are counted only, so that the engine need not hand over their bytes. */
  readonly delivery?: (id: number, bytes: Uint8Array, isBinary: boolean) => void;

  constructor(
    private readonly means: SocketMeans,
    { protocol, host }: URL,
    seesMarked: boolean,
    private readonly now: () => number,
  ) {
    const capacity = Math.max(leastSockets, means.clientCount);
    this.#isTls = protocol === 'wss:';
    this.#sockets = new Array<EngineSocket | undefined>(capacity).fill(undefined);
    this.#clientOf = new Int32Array(capacity).fill(-1);
    this.#underWay = new Uint32Array(capacity);
    this.#ids = new FreeIds(capacity, (id) => this.#underWay[id] === 0);
    if (seesMarked) this.delivery = (id, bytes, isBinary) => this.message(id, bytes, isBinary);
    this.#engine = means.createEngine(
      this.#isTls,
      {
        ...means.shared,
        ...{ url: `${protocol}//${host}/`, subprotocols: [], headers: {} },
        ...{ capacity, numberOf: (id) => id },
      },
      this,
    );
  }

  hasRoom(): boolean {
    return this.#ids.hasFree(this.now());
  }

  open(request: SocketRequest): FlowSocket {
    const { url, headers, subprotocols } = request;
    const id = this.#ids.next;
    const pathAndQuery = `${url.pathname}${url.search}`;
    this.#engine.open(id, { pathAndQuery, headers, subprotocols, identity: request.client });
    this.#ids.take();
    const socket = new EngineSocket(this.#engine, id, request.client, request.events, this.#underWay);
    this.#sockets[id] = socket;
    return socket;
  }

  opened(id: number, tcpNs: number, upgradeNs: number, subprotocol: string): void {
    const { client, events } = this.#sockets[id]!;
    this.#clientOf[id] = client;
    events.opened(subprotocol, { tcpNs, upgradeNs, leastNs: this.#engine.leastNs(id) });
  }

  message(id: number, bytes: Uint8Array, isBinary: boolean): void {
    const receivedAtNs = this.#engine.arrivedAtNs(id);
    const notBeforeNs = Math.min(receivedAtNs, this.#engine.notBeforeNs(id));
    this.#sockets[id]!.events.message(bytes, isBinary, receivedAtNs, notBeforeNs);
  }

  pong(id: number, payload: Uint8Array): void {
    this.#sockets[id]!.events.pong?.(payload);
  }

  closed(id: number, cause: Cause, wasOpen: boolean, code: number, reason: string): void {
    const socket = this.#sockets[id]!;
    this.#sockets[id] = undefined;
    this.#ids.rest(id, this.now() + restNs);
    socket.isEnded = true;
    socket.events.closed(cause, wasOpen, code, reason);
  }

  deliveries(batch: DeliveryBatch): void {
    const { count, sequence, receivedAtNs, notBeforeNs, flags } = batch;
    this.#handedOver += count;
    const client = this.#deliveries.of(batch, this.#clientOf);
    this.means.deliveries({ count, client, sequence, receivedAtNs, notBeforeNs, flags });
  }

  sends(batch: SendBatch): void {
    const { count, token, sentAtNs, writtenAtNs, fate } = batch;
    for (let i = 0; i < count; i++) this.#underWay[batch.client[i]!]!--;
    this.means.sends({ count, client: this.#sends.of(batch, this.#clientOf), token, sentAtNs, writtenAtNs, fate });
  }

  stats(): SocketWork {
    const heldUpNs = this.#engine.heldUpNs?.() ?? 0;
    return { isTls: this.#isTls, handedOver: this.#handedOver, heldUpNs, ...this.#engine.stats() };
  }

  dispose(): void {
    this.#engine.dispose();
    for (const socket of this.#sockets) if (socket !== undefined) socket.isEnded = true;
  }
}

/** The clients of a batch's entries, in an array that all batches share. */
class ByClient {
  #clients = new Int32Array(4096);

  of({ count, client: ids }: { count: number; client: Int32Array }, clientOf: Int32Array): Int32Array {
    if (this.#clients.length < count) this.#clients = new Int32Array(2 * count);
    const clients = this.#clients;
    for (let i = 0; i < count; i++) clients[i] = clientOf[ids[i]!]!;
    return clients;
  }
}

class EngineSocket implements FlowSocket {
  isEnded = false;

  constructor(
    private readonly engine: Engine,
    private readonly id: number,
    readonly client: number,
    readonly events: SocketEvents,
    private readonly underWay: Uint32Array,
  ) {}

  send(message: SendMessage): boolean {
    return !this.isEnded && this.engine.send(this.id, wholeMessage(message), true);
  }

  get sendsAhead(): boolean {
    return this.engine.sendAt !== undefined;
  }

  sendAt(message: SendMessage, dueNs: number, token: number): boolean {
    if (this.isEnded || !this.engine.sendAt?.(this.id, message, dueNs, token)) return false;
    this.underWay[this.id]!++;
    return true;
  }

  ping(payload: Uint8Array): void {
    if (!this.isEnded) this.engine.ping(this.id, payload);
  }

  close(code: number, reason: string): void {
    if (!this.isEnded) this.engine.close(this.id, code, reason);
  }

  drop(mode: DropMode, cause?: Cause): void {
    if (!this.isEnded) this.engine.drop(this.id, mode, cause);
  }

  get buffered(): number {
    return this.isEnded ? 0 : this.engine.buffered(this.id);
  }

  leftAtNs(): number {
    return (this.isEnded ? undefined : this.engine.leftAtNs?.(this.id)) ?? Number.POSITIVE_INFINITY;
  }
}
