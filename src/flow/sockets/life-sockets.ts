import type { FlowFigures } from '../figures.js';
import type { FlowSocket, SocketRequest, Sockets } from './sockets.js';

/** The sockets that one client has opened and not closed, by its own calls or by libraries. All are counted here. */
export class LifeSockets {
  readonly #open = new Map<FlowSocket, () => void>();
  #last: FlowSocket | undefined;
  #isEmpty: (() => void) | undefined;

  /** `lost` is called when a socket ends, however it does. */
  constructor(
    private readonly sockets: Pick<Sockets, 'open'>,
    private readonly client: number,
    private readonly figures: FlowFigures,
    private readonly lost: (socket: FlowSocket) => void,
  ) {}

  /** The socket that opened last. */
  get last(): FlowSocket | undefined {
    return this.#last;
  }

  open(request: Omit<SocketRequest, 'client'>): FlowSocket {
    const { figures } = this;
    const { events } = request;
    figures.count('connects');
    const socket: FlowSocket = this.sockets.open({
      ...request,
      client: this.client,
      events: {
        opened: (subprotocol, times) => {
          this.#last = socket;
          figures.count('connected');
          figures.count('open');
          figures.time('connect', times.upgradeNs / 1000);
          figures.time('connectAtLeast', times.leastNs / 1000);
          events.opened(subprotocol, times);
        },
        message: (bytes, isBinary, receivedAtNs, notBeforeNs) => {
          figures.count('received');
          events.message(bytes, isBinary, receivedAtNs, notBeforeNs);
        },
        closed: (cause, wasOpen, code, reason) => {
          this.#open.delete(socket);
          if (wasOpen) figures.count('open', -1);
          if (!wasOpen) figures.cause('notConnected', 'connect', cause);
          else if (cause !== 'ours') figures.cause('cut', 'close', cause);
          this.lost(socket);
          events.closed(cause, wasOpen, code, reason);
          if (this.#open.size === 0) this.#isEmpty?.();
        },
      },
    });
    this.#open.set(socket, () => socket.close(1000, ''));
    return socket;
  }

  /** Closes all sockets with code 1000. Resolves when the last one is closed. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#isEmpty = resolve;
    });
    if (this.#open.size === 0) this.#isEmpty?.();
    for (const close of this.#open.values()) close();
    return closed;
  }
}
