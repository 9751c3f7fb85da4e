import { runServer } from '../foreground.js';
import { statsReader } from '../stats.js';
import { binaryMessage, errorMessage, readMessage, subscribedMessage } from '../ws-json.js';
import { answerFetch, type BunServer, type BunSocket, serve } from './bun.js';

await runServer('bun', () => {
  let connections = 0;
  let server: BunServer;
  const publish = (stream: string, data: string): void => void server.publish(stream, data);
  const stats = statsReader({ versions: {}, settings: {}, connections: () => connections });
  const service = { publish: ({ stream, data }: { stream: string; data: string }) => publish(stream, data), stats };
  return {
    version: process.versions.bun ?? '',
    async listen(hostname, port) {
      server = serve({
        hostname,
        port,
        fetch(request) {
          if (new URL(request.url).pathname === '/ws' && server.upgrade(request)) return undefined;
          return answerFetch(service, request);
        },
        websocket: {
          open() {
            connections += 1;
          },
          close() {
            connections -= 1;
          },
          message: (socket, message) => take(socket, message, publish),
        },
      });
      return [server.port];
    },
    close: () => server.stop(true),
  };
});

function take(socket: BunSocket, given: string | Buffer, publish: (stream: string, data: string) => void): void {
  const message = typeof given === 'string' ? readMessage(given) : binaryMessage;
  const text = String(given);
  if (message.type === 'subscribe') {
    socket.subscribe(message.stream);
    socket.send(subscribedMessage(message.stream));
  } else if (message.type === 'unsubscribe') socket.unsubscribe(message.stream);
  else if (message.type === 'echo') socket.send(text);
  else if (message.type === 'whisper') socket.publish(message.stream, text);
  else if (message.type === 'broadcast') publish(message.stream, message.data);
  else socket.send(errorMessage(message.why));
}
