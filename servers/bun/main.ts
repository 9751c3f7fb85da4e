import { runServer } from '../foreground.js';
import { hearWsJson, type WsJsonActions } from '../messages.js';
import { statsReader } from '../stats.js';
import { answerFetch, type BunServer, type BunSocket, serve } from './bun.js';

await runServer('bun', () => {
  let connections = 0;
  let server: BunServer;
  const publish = ({ stream, data }: { stream: string; data: string }): void => void server.publish(stream, data);
  const act: WsJsonActions<BunSocket, string> = {
    subscribe: (socket, stream) => socket.subscribe(stream),
    unsubscribe: (socket, stream) => socket.unsubscribe(stream),
    say: (socket, text) => void socket.send(text),
    echo: (socket, text) => void socket.send(text),
    whisper: (socket, stream, text) => void socket.publish(stream, text),
    broadcast: (_socket, published) => publish(published),
  };
  const stats = statsReader({ versions: {}, settings: {}, connections: () => connections });
  return {
    version: process.versions.bun ?? '',
    async listen(hostname, port) {
      server = serve({
        hostname,
        port,
        fetch(request) {
          if (new URL(request.url).pathname === '/ws' && server.upgrade(request)) return undefined;
          return answerFetch({ publish, stats }, request);
        },
        websocket: {
          open() {
            connections += 1;
          },
          close() {
            connections -= 1;
          },
          message: (socket, text) => hearWsJson(act, socket, typeof text === 'string' ? text : undefined, String(text)),
        },
      });
      return [server.port];
    },
    close: () => server.stop(true),
  };
});
