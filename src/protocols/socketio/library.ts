import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import type { WebSocket } from 'ws';
import { jsonEscaped, valuesIn, withSlots } from '../../units/slots.js';
import type { Cause } from '../../wire/wire.js';
import { causeOfCloseCode, causeOfError, LibraryClients } from '../library/clients.js';
import type { Clients } from '../protocol.js';
import { dialectOf } from './packet.js';

/**
 * Clients of `socket.io-client` with its defaults, except for three points. They use only the websocket transport, one
 * connection each, and connect only by `open`: the same socket, with its session id and offset. The library shows a
 * connection after the Engine.IO handshake, so `opened` comes a packet later than the upgrade.
 */
export class SocketioClients extends LibraryClients implements Clients {
  readonly #dialect = dialectOf(this.setup.options);
  readonly #sockets = this.perClient<Socket>();
  readonly #joined = Array.from({ length: this.setup.capacity }, () => new Set<string>());

  open(client: number): void {
    const socket = this.#sockets[client];
    // The library may not know yet that we ended its connection. Its reaction is ignored.
    socket?.disconnect();
    this.started(client);
    if (socket === undefined) this.#sockets[client] = this.#connect(client);
    else socket.connect();
  }

  subscribe(client: number, stream: string): void {
    const joined = this.#joined[client]!;
    if (joined.has(stream)) {
      this.events.subscribed(client, stream);
      return;
    }
    this.#sockets[client]?.emit('join', stream, () => {
      if (this.isOver) return;
      joined.add(stream);
      this.events.subscribed(client, stream);
    });
  }

  echo(client: number, sequence: number): boolean {
    const socket = this.#connected(client);
    const heard = (...answer: unknown[]): void => this.heard(client, answer);
    socket?.emit('echo', JSON.parse(this.setup.payload(sequence)), heard);
    return socket !== undefined;
  }

  whisper(client: number, stream: string, sequence: number): boolean {
    const socket = this.#connected(client);
    socket?.emit('whisper', stream, JSON.parse(this.setup.payload(sequence)));
    return socket !== undefined;
  }

  protected socketOf(client: number): WebSocket | undefined {
    return webSocketOf(this.#sockets[client]);
  }

  protected endAll(): void {
    for (const socket of this.#sockets) socket?.disconnect();
  }

  #connect(client: number): Socket {
    const { origin, options } = this.#address(client);
    const socket = io(`${origin}${this.#dialect.namespace}`, options);
    let isReturning = false;
    socket.on(this.#dialect.event, (...data: unknown[]) => this.heard(client, data));
    socket.io.on('open', () => this.opened(client));
    socket.on('connect', () => {
      if (this.isOver) return;
      if (!socket.recovered) this.#joined[client]!.clear();
      if (isReturning) this.events.resumed(client, socket.recovered === true);
      isReturning = true;
      this.events.ready(client);
    });
    socket.on('connect_error', (error) => {
      // The library gives up only if the target refused the session by a message.
      this.ended(client, socket.active ? causeOfTransportError(error) : `rejected:${error.message}`);
    });
    socket.on('disconnect', (reason, details) => this.ended(client, causeOfDisconnect(reason, details)));
    return socket;
  }

  /** Returns a socket that can send. The library keeps messages of closed clients, and any number of unread ones. */
  #connected(client: number): Socket | undefined {
    const socket = this.#sockets[client];
    return socket?.connected && this.hasRoom(client) ? socket : undefined;
  }

  /** Returns that of the first text among the arguments of an event which has one, however deep. */
  protected override sequenceIn(data: unknown): number {
    const waiting = [data];
    while (waiting.length > 0) {
      const value = waiting.pop();
      const sequence = typeof value === 'string' ? this.setup.sequenceOf(value) : -1;
      if (sequence >= 0) return sequence;
      if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
      for (const each of Object.values(value).reverse()) waiting.push(each);
    }
    return -1;
  }

  #address(client: number): { origin: string; options: Partial<ManagerOptions & SocketOptions> } {
    const { url, subprotocols, options: ofSocket } = this.upgradeOf(client);
    const { headers, handshakeTimeout, agent } = ofSocket;
    const { protocol, host, pathname, searchParams } = new URL(url);
    const { EIO: _version, transport: _transport, ...query } = Object.fromEntries(searchParams);
    const { auth } = this.#dialect;
    const options: Partial<ManagerOptions & SocketOptions> = {
      path: pathname,
      query,
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      timeout: handshakeTimeout,
      extraHeaders: headers,
      ...(subprotocols.length > 0 && { protocols: [...subprotocols] }),
      ...(auth !== undefined && { auth: JSON.parse(withSlots(auth, valuesIn(this.setup, client), jsonEscaped)) }),
      // The types are the browser's, without agents. In Node the library passes it to `ws`.
      ...(agent && { agent: agent as unknown as string }),
    };
    return { origin: `${protocol}//${host}`, options };
  }
}

/** Returns the connection of a client. The library drops its reference to one that it closes. */
function webSocketOf(socket: Socket | undefined): WebSocket | undefined {
  return (socket?.io.engine?.transport as unknown as { ws?: WebSocket | null } | undefined)?.ws ?? undefined;
}

/** Returns the cause of a transport error, which wraps the error event of `ws` with the error. */
function causeOfTransportError(error: unknown): Cause {
  const event = (error as { description?: { error?: unknown } }).description;
  return causeOfError(event?.error ?? error);
}

function causeOfDisconnect(reason: Socket.DisconnectReason, details: unknown): Cause {
  if (reason === 'ping timeout') return 'heartbeat-timeout';
  if (reason === 'parse error') return 'protocol-error:parse error';
  if (reason === 'io server disconnect') return `rejected:${reason}`;
  if (reason === 'transport error') return causeOfTransportError(details);
  const code = (details as { context?: { code?: unknown } } | undefined)?.context?.code;
  return typeof code === 'number' ? causeOfCloseCode(code) : 'end-of-stream';
}
