import type { SendOutlet } from '../../scenarios/traffic/send-clock.js';
import type {
  Cause,
  DeliveryBatch,
  DropMode,
  Engine,
  EngineStats,
  SendBatch,
  SendMessage,
  WireSetup,
  WireSink,
} from '../../wire/wire.js';
import type { FlowFigures } from '../figures.js';

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
  ping(payload: Uint8Array): void;
  /** Sends a close frame, without a code for 1005. Messages go on until the target's close frame, or for 5 s. */
  close(code: number, reason: string): void;
  drop(mode: DropMode, cause?: Cause): void;
  /** Returns when all bytes given to the socket had left, in nanoseconds; Infinity while that is unknown. */
  leftAtNs(): number;
}

export interface SocketMeans {
  /** All of a setup that the sockets of one worker share. */
  shared: Pick<WireSetup, 'localAddresses' | 'caPem' | 'isInsecure' | 'connectTimeoutMs' | 'scan'>;
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

/** The sockets of a worker, which are of our engines or of the package `ws`. */
export interface OpenSockets {
  /** Begins to connect. Events come later. Throws a `TypeError` for a wrong header, or an `Error` without an engine. */
  open(request: SocketRequest): FlowSocket;
  stats(): SocketWork[];
  /** Ends every socket. No event follows. */
  dispose(): void;
}

interface Owner {
  client: number;
  worker: { sockets: OpenSockets; figures: FlowFigures };
  lost(socket: FlowSocket): void;
}

/** The sockets that one client has opened and not closed, by its own calls or by libraries. All are counted here. */
export class LifeSockets {
  /** The socket that opened last. */
  last: FlowSocket | undefined;
  /** An array as long as it must be, as most clients have one socket. */
  #open: readonly CountedSocket[] = none;
  #isEmpty: (() => void) | undefined;

  constructor(readonly owner: Owner) {}

  open(request: Omit<SocketRequest, 'client'>): FlowSocket {
    const { client, worker } = this.owner;
    worker.figures.count('connects');
    const counted = new CountedSocket(this, request.events);
    counted.socket = worker.sockets.open({ ...request, client, events: counted });
    this.#open = this.#open.concat(counted);
    return counted.socket;
  }

  forget(counted: CountedSocket): void {
    this.#open = this.#open.filter((each) => each !== counted);
  }

  checkEmpty(): void {
    if (this.#open.length === 0) this.#isEmpty?.();
  }

  /** Closes all sockets with code 1000. Resolves when the last one is closed. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#isEmpty = resolve;
    });
    this.checkEmpty();
    for (const { socket } of this.#open) socket?.close(1000, '');
    return closed;
  }
}

const none: readonly CountedSocket[] = [];

/** Counts the events of one socket, and passes them on. */
class CountedSocket implements SocketEvents {
  socket: FlowSocket | undefined;

  constructor(
    private readonly of: LifeSockets,
    private readonly events: SocketEvents,
  ) {}

  opened(subprotocol: string, times: Parameters<SocketEvents['opened']>[1]): void {
    const { figures } = this.of.owner.worker;
    this.of.last = this.socket;
    figures.count('connected');
    figures.count('open');
    figures.time('connect', times.upgradeNs / 1000);
    figures.time('connectAtLeast', times.leastNs / 1000);
    this.events.opened(subprotocol, times);
  }

  message(bytes: Uint8Array, isBinary: boolean, receivedAtNs: number, notBeforeNs: number): void {
    this.of.owner.worker.figures.count('received');
    this.events.message(bytes, isBinary, receivedAtNs, notBeforeNs);
  }

  pong(payload: Uint8Array): void {
    this.events.pong?.(payload);
  }

  closed(cause: Cause, wasOpen: boolean, code: number, reason: string): void {
    const { owner } = this.of;
    const { figures } = owner.worker;
    this.of.forget(this);
    if (wasOpen) figures.count('open', -1);
    if (!wasOpen) figures.cause('notConnected', 'connect', cause);
    else if (cause !== 'ours') figures.cause('cut', 'close', cause);
    owner.lost(this.socket!);
    this.events.closed(cause, wasOpen, code, reason);
    this.of.checkEmpty();
  }
}
