import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

/** Describes one endpoint of a server, which handles its connections. */
export interface Endpoint {
  path: string;
  subprotocol?: (offered: ReadonlySet<string>) => string | false;
  /** Serves an open connection. Returns the handlers of its messages (undefined for binary) and of its end. */
  serve(socket: WebSocket): { message(text: string | undefined, data: RawData): void; closed(): void };
}

/** Holds the WebSocket endpoints of an HTTP server by path. With `ws` they share one server. */
export class EndpointsByPath {
  readonly #servers: ReadonlyMap<string, WebSocketServer>;

  constructor(http: Server, endpoints: readonly Endpoint[]) {
    this.#servers = new Map(endpoints.map((endpoint) => [endpoint.path, serverOf(endpoint)]));
    http.on('upgrade', (request, socket: Duplex, head) => {
      const server = this.#servers.get(request.url?.split('?', 1)[0] ?? '');
      if (server === undefined)
        socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      else server.handleUpgrade(request, socket, head, (webSocket) => server.emit('connection', webSocket, request));
    });
  }

  get count(): number {
    return [...this.#servers.values()].reduce((sum, { clients }) => sum + clients.size, 0);
  }

  close(): void {
    for (const { clients } of this.#servers.values()) for (const socket of clients) socket.terminate();
  }
}

function serverOf({ subprotocol, serve }: Endpoint): WebSocketServer {
  const server = new WebSocketServer({ noServer: true, ...(subprotocol && { handleProtocols: subprotocol }) });
  server.on('connection', (socket) => {
    const { message, closed } = serve(socket);
    socket.on('message', (data: RawData, isBinary) => message(isBinary ? undefined : data.toString(), data));
    socket.on('close', closed);
    // The library cuts a client that breaks RFC 6455. Without a listener, the error would end the process.
    socket.on('error', (error) => process.stderr.write(`ws: a client was cut off: ${error.message}\n`));
  });
  return server;
}

export class Streams {
  readonly #subscribers = new Map<string, Set<WebSocket>>();

  subscribe(stream: string, socket: WebSocket): void {
    const subscribers = this.#subscribers.get(stream);
    if (subscribers === undefined) this.#subscribers.set(stream, new Set([socket]));
    else subscribers.add(socket);
  }

  unsubscribe(stream: string, socket: WebSocket): void {
    const subscribers = this.#subscribers.get(stream);
    if (subscribers?.delete(socket) && subscribers.size === 0) this.#subscribers.delete(stream);
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

// A Buffer is encoded once for all subscribers, a string once for each. Without this option it would be sent as binary.
const asText = { binary: false };
