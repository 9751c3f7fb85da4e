import type { Server } from 'node:http';
import { createServer, type ServerHttp2Stream } from 'node:http2';
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

/** Lets a server that was made for HTTP/1.1 take WebSockets over HTTP/2, too (RFC 8441), on one port without TLS. */
export function overHttp2(http: Server, serverAt: (path: string) => WebSocketServer | undefined): void {
  const newer = createServer({ settings: { enableConnectProtocol: true } });
  newer.on('sessionError', () => undefined);
  newer.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const server = serverAt(String(headers[':path']).split('?', 1)[0] ?? '');
    if (headers[':protocol'] !== 'websocket' || server === undefined)
      stream.respond({ ':status': 400 }, { endStream: true });
    else attach(stream, server);
  });
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
  const socket = new WebSocket(null as never, undefined, {}) as Attached;
  socket.setSocket(stream, Buffer.alloc(0), settings);
  server.clients.add(socket);
  socket.on('close', () => server.clients.delete(socket));
  server.emit('connection', socket);
}
