import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';

/** One endpoint of a server: what happens to its connections. */
export interface Endpoint {
  path: string;
  /** Picks one of the subprotocols that a client offers. */
  subprotocol?: (offered: ReadonlySet<string>) => string | false;
  /** Takes an open connection; gives what takes its messages, text or (undefined) binary, and its end. */
  serve(socket: WebSocket): { message(text: string | undefined, data: RawData): void; closed(): void };
}

/** The WebSocket endpoints of an HTTP server, each by its path, as `ws` does it for several on one server. */
export class Endpoints {
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

  /** Connections that are open now. */
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
    // The library closes the connection of a client that breaks RFC 6455; without a listener it would end the process.
    socket.on('error', (error) => process.stderr.write(`ws: a client was cut off: ${error.message}\n`));
  });
  return server;
}
