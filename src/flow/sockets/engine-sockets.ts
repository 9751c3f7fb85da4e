import { nowNs } from '../../measure/rig/clock.js';
import {
  type Cause,
  type DeliveryBatch,
  type DropMode,
  type Engine,
  type SendBatch,
  type SendMessage,
  type WireSink,
  wholeMessage,
} from '../../wire/wire.js';
import type { FlowSocket, OpenSockets, SocketEvents, SocketMeans, SocketRequest, SocketWork } from './sockets.js';

/** The sockets of a worker's clients, on one engine or more for each origin and kind. */
export class EngineSockets implements OpenSockets {
  /** Engines by origin and kind, each made for the first socket that needs it. */
  readonly #engines = new Map<string, SocketEngine[]>();

  constructor(
    private readonly means: SocketMeans,
    private readonly now: () => number = nowNs,
  ) {}

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
  /** Ids at rest, the longest first, and until when they rest. */
  readonly #resting: number[] = [];
  readonly #restsUntilNs: Float64Array;
  /** The first of the ids that were never used. */
  #unused = 0;
  readonly #isTls: boolean;
  /** The client whose deliveries an id has: that of its last open connection. */
  readonly #clientOf: Int32Array;
  /** Numbers of sends that are handed over and not yet reported. Their reports name the id, so it rests after them. */
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
    this.#restsUntilNs = new Float64Array(capacity);
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
    const [oldest] = this.#resting;
    return this.#unused < this.#sockets.length || (oldest !== undefined && this.#restsUntilNs[oldest]! <= this.now());
  }

  #rest(id: number): void {
    this.#resting.push(id);
    this.#restsUntilNs[id] = this.now() + restNs;
  }

  open(request: SocketRequest): FlowSocket {
    const { url, headers, subprotocols } = request;
    const isNew = this.#unused < this.#sockets.length;
    const id = isNew ? this.#unused : this.#resting[0]!;
    const pathAndQuery = `${url.pathname}${url.search}`;
    this.#engine.open(id, { pathAndQuery, headers, subprotocols, identity: request.client });
    if (isNew) this.#unused++;
    else this.#resting.shift();
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
    if (this.#underWay[id] === 0) this.#rest(id);
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
    for (let i = 0; i < count; i++) {
      const id = batch.client[i]!;
      this.#underWay[id]!--;
      if (this.#underWay[id] === 0 && this.#sockets[id] === undefined) this.#rest(id);
    }
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
