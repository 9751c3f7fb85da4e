import type { Cause } from '../../wire/wire.js';
import type { FlowWorker } from '../parts.js';
import type { FlowSocket, SocketEvents, SocketRequest } from './sockets.js';

/** Whose sockets they are. */
interface Owner {
  /** Number of the client within its worker. */
  client: number;
  worker: Pick<FlowWorker, 'sockets' | 'figures'>;
  /** Called when a socket ends, however it does. */
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

  /** Resolves `close` if the last one has closed. */
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
