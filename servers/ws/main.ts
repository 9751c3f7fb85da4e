import { promisify } from 'node:util';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { runServer } from '../foreground.js';
import { httpSide, listen } from '../http-side.js';
import { packageVersion } from '../package-version.js';
import { statsReader } from '../stats.js';
import { binaryMessage, errorMessage, readMessage, subscribedMessage } from '../ws-json.js';
import { Streams } from './streams.js';

await runServer('ws', () => {
  const streams = new Streams();
  const version = packageVersion('ws');
  const stats = statsReader({ versions: { ws: version }, settings: {}, connections: () => sockets.clients.size });
  const http = httpSide({ publish: ({ stream, data }) => streams.send(stream, Buffer.from(data)), stats });
  const sockets = new WebSocketServer({ server: http, path: '/ws' });
  sockets.on('connection', (socket) => serve(socket, streams));
  return {
    version,
    // The WebSocket server takes the HTTP server's listening and error events as its own.
    listen: (host, port) => listen(http, host, port, sockets),
    async close() {
      const closed = promisify(http.close.bind(http))();
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
      await closed;
    },
  };
});

function serve(socket: WebSocket, streams: Streams): void {
  const held = new Set<string>();
  socket.on('message', (data: RawData, isBinary) => {
    const message = isBinary ? binaryMessage : readMessage(data.toString());
    if (message.type === 'subscribe') {
      held.add(message.stream);
      streams.subscribe(message.stream, socket);
      socket.send(subscribedMessage(message.stream));
    } else if (message.type === 'unsubscribe') {
      held.delete(message.stream);
      streams.unsubscribe(message.stream, socket);
    } else if (message.type === 'echo') socket.send(data, { binary: false });
    else if (message.type === 'whisper') streams.send(message.stream, data as Buffer, socket);
    else socket.send(errorMessage(message.why));
  });
  socket.on('close', () => {
    for (const stream of held) streams.unsubscribe(stream, socket);
  });
  // The library closes the connection of a client that breaks RFC 6455; without a listener it would end the process.
  socket.on('error', (error) => process.stderr.write(`ws: a client was cut off: ${error.message}\n`));
}
