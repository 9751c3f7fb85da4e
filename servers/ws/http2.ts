import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, type WebSocketServer } from 'ws';

/** Beginning of every HTTP/2 connection (RFC 9113, section 3.4). */
const preface = 'PRI * HTTP/2';

/** `ws` has this for servers of its own, and its types leave it out. */
interface Attached extends WebSocket {
  setSocket(stream: Duplex, head: Buffer, options: object): void;
}

const settings = { allowSynchronousEvents: true, maxPayload: 104_857_600, skipUTF8Validation: false };

/** What a `WebSocketServer` gives its sockets by default. */
const own = { autoPong: true, closeTimeout: 30_000 };

/** Attaches WebSockets that ask a server of HTTP/2 for one (RFC 8441). The server offers that in its settings. */
export function answerHttp2(server: EventEmitter, serverAt: (path: string) => WebSocketServer | undefined): void {
  server.on('sessionError', () => undefined);
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => undefined);
    const found = serverAt(String(headers[':path']).split('?', 1)[0] ?? '');
    if (headers[':protocol'] === 'websocket' && found) attach(stream, found);
    else stream.respond({ ':status': 400 }, { endStream: true });
  });
}

/** Lets a server that was made for HTTP/1.1 take WebSockets over HTTP/2, too, on its one port without TLS. */
export function overHttp2(http: Server, serverAt: (path: string) => WebSocketServer | undefined): void {
  const newer = createServer({ settings: { enableConnectProtocol: true } });
  answerHttp2(newer, serverAt);
  const older = http.listeners('connection') as ((socket: Socket) => void)[];
  http.removeAllListeners('connection');
  http.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      // That one reads what is there by itself.
      if (first.toString('latin1', 0, preface.length) === preface) newer.emit('connection', socket);
      else {
        for (const take of older) take.call(http, socket);
        socket.resume();
      }
    });
  });
}

function attach(stream: ServerHttp2Stream, server: WebSocketServer): void {
  stream.respond({ ':status': 200 });
  const socket = new WebSocket(null as never, undefined, own) as Attached;
  socket.setSocket(stream, Buffer.alloc(0), settings);
  server.clients.add(socket);
  socket.on('close', () => server.clients.delete(socket));
  server.emit('connection', socket);
}
