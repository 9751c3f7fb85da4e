import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type ServerOptions, WebSocket, WebSocketServer } from 'ws';
import {
  binaryMessage,
  broadcastMessage,
  channelMessage,
  confirmMessage,
  errorMessage,
  hearShootout,
  hearWsJson,
  pingMessage,
  readCable,
  rejectMessage,
  type WsJsonActions,
  welcomeMessage,
} from '../messages.js';

/** Describes one endpoint of a server, which handles its connections. */
export interface Endpoint {
  path: string;
  subprotocol?: (offered: ReadonlySet<string>) => string | false;
  opened?(socket: WebSocket): void;
  /** Handles a message. Its text is undefined if it is binary. */
  message(socket: WebSocket, text: string | undefined, data: RawData): void;
  closed(socket: WebSocket): void;
}

/** Holds the WebSocket endpoints of an HTTP server by path. With `ws` they share one server. */
export class EndpointsByPath {
  readonly #servers: ReadonlyMap<string, WebSocketServer>;

  constructor(http: Server, endpoints: readonly Endpoint[], settings: ServerOptions) {
    this.#servers = new Map(endpoints.map((endpoint) => [endpoint.path, serverOf(endpoint, settings)]));
    http.on('upgrade', (request, socket: Duplex, head) => {
      const server = this.at(request.url?.split('?', 1)[0] ?? '');
      if (server === undefined)
        socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      else server.handleUpgrade(request, socket, head, (webSocket) => server.emit('connection', webSocket, request));
    });
  }

  at(path: string): WebSocketServer | undefined {
    return this.#servers.get(path);
  }

  get count(): number {
    return [...this.#servers.values()].reduce((sum, { clients }) => sum + clients.size, 0);
  }

  close(): void {
    for (const { clients } of this.#servers.values()) for (const socket of clients) socket.terminate();
  }
}

function serverOf({ subprotocol, opened, message, closed }: Endpoint, settings: ServerOptions): WebSocketServer {
  const ways = { ...settings, ...(subprotocol && { handleProtocols: subprotocol }) };
  const server = new WebSocketServer({ ...ways, noServer: true });
  server.on('connection', (socket) => {
    opened?.(socket);
    socket.on('message', (data: RawData, isBinary) => message(socket, isBinary ? undefined : data.toString(), data));
    socket.on('close', () => closed(socket));
    // The library cuts a client that breaks RFC 6455. Without a listener, the error would end the process.
    socket.on('error', (error) => process.stderr.write(`ws: a client was cut off: ${error.message}\n`));
  });
  return server;
}

export function wsJsonEndpoint(streams: Streams): Endpoint {
  const act: WsJsonActions<WebSocket, RawData> = {
    subscribe: (socket, stream) => streams.subscribe(stream, socket),
    unsubscribe: (socket, stream) => streams.unsubscribe(stream, socket),
    say: (socket, text) => socket.send(text),
    echo: (socket, data) => socket.send(data, { binary: false }),
    whisper: (socket, stream, data) => void streams.send(stream, data as Buffer, socket),
    broadcast: (_socket, { stream, data }) => void streams.send(stream, Buffer.from(data)),
  };
  return {
    path: '/ws',
    message: (socket, text, data) => hearWsJson(act, socket, text, data),
    closed: (socket) => streams.leave(socket),
  };
}

/** Both forms of websocket-shootout have one audience: all connections, or all subscribers of the one channel. */
const all = 'all';

export function shootoutEndpoint(): Endpoint {
  const audience = new Streams();
  const act = {
    say: (socket: WebSocket, text: string) => socket.send(text),
    broadcast: (_socket: WebSocket, payload: string) => audience.send(all, Buffer.from(broadcastMessage(payload))),
  };
  return {
    path: '/shootout',
    opened: (socket) => audience.subscribe(all, socket),
    message: (socket, text) => hearShootout(act, socket, text),
    closed: (socket) => audience.leave(socket),
  };
}

const pingEveryMs = 3000;

export function shootoutCableEndpoint(): Endpoint {
  const audience = new Streams();
  return {
    path: '/cable',
    subprotocol: (offered) => (offered.has('actioncable-v1-json') ? 'actioncable-v1-json' : false),
    opened(socket) {
      socket.send(welcomeMessage);
      const pings = setInterval(() => socket.send(pingMessage()), pingEveryMs);
      socket.once('close', () => clearInterval(pings));
    },
    message(socket, text) {
      const message = text === undefined ? binaryMessage : readCable(text);
      if (message.type === 'subscribe') {
        audience.subscribe(all, socket);
        socket.send(confirmMessage);
      } else if (message.type === 'foreign') socket.send(rejectMessage(message.identifier));
      else if (message.type === 'echo') socket.send(channelMessage('echo', message.payload));
      else if (message.type === 'broadcast') {
        audience.send(all, Buffer.from(channelMessage('broadcast', message.payload)));
        socket.send(channelMessage('broadcastResult', message.payload));
      } else if (message.type === 'wrong') socket.send(errorMessage(message.why));
    },
    closed: (socket) => audience.leave(socket),
  };
}

// A Buffer is encoded once for all subscribers, a string once for each. Without this option it would be sent as binary.
const asText = { binary: false };

/** Holds the subscribers of each stream. */
export class Streams {
  readonly #subscribers = new Map<string, Set<WebSocket>>();
  readonly #held = new Map<WebSocket, Set<string>>();

  subscribe(stream: string, socket: WebSocket): void {
    this.#subscribers.set(stream, (this.#subscribers.get(stream) ?? new Set()).add(socket));
    this.#held.set(socket, (this.#held.get(socket) ?? new Set()).add(stream));
  }

  unsubscribe(stream: string, socket: WebSocket): void {
    this.#held.get(socket)?.delete(stream);
    const subscribers = this.#subscribers.get(stream);
    if (subscribers?.delete(socket) && subscribers.size === 0) this.#subscribers.delete(stream);
  }

  leave(socket: WebSocket): void {
    for (const stream of this.#held.get(socket) ?? []) this.unsubscribe(stream, socket);
    this.#held.delete(socket);
  }

  /** Sends text to every subscriber but `except`. Returns their number. */
  send(stream: string, text: Buffer, except?: WebSocket): number {
    let sent = 0;
    for (const socket of this.#subscribers.get(stream) ?? []) {
      if (socket === except || socket.readyState !== WebSocket.OPEN) continue;
      socket.send(text, asText);
      sent++;
    }
    return sent;
  }
}
