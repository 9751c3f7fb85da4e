import type { us_listen_socket, WebSocket } from 'uWebSockets.js';
import { fail, runServer, type TargetServer } from '../foreground.js';
import { packageVersion } from '../package-version.js';
import { statsReader } from '../stats.js';
import { binaryMessage, errorMessage, readMessage, subscribedMessage } from '../ws-json.js';
import { serveHttp } from './http.js';

type Library = typeof import('uWebSockets.js');

/** The published types know this listen option only together with no host. */
interface ExclusiveListener {
  listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): void;
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT: by default two processes share a port in silence, and each gets a part of the connections. */
const exclusivePort = 1;

await runServer('uws', async () => createServer(await load()));

async function load(): Promise<Library> {
  try {
    return await import('uWebSockets.js');
  } catch (error) {
    return fail('uws', `uWebSockets.js can't be loaded: ${(error as Error).message}`, 2);
  }
}

function createServer(library: Library): TargetServer {
  let connections = 0;
  const app = library.App();
  const version = packageVersion('uWebSockets.js');
  const settings = { listenOptions: 'LIBUS_LISTEN_EXCLUSIVE_PORT' };
  const stats = statsReader({ versions: { 'uWebSockets.js': version }, settings, connections: () => connections });
  app.ws('/ws', {
    open: () => {
      connections += 1;
    },
    close: () => {
      connections -= 1;
    },
    message: serve,
  });
  serveHttp(app, { publish: ({ stream, data }) => app.publish(stream, data), stats });
  return {
    version,
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        const done = (socket: us_listen_socket | false) => {
          if (socket === false) reject(new Error('the port is in use, or the address is not one of this machine'));
          else resolve(library.us_socket_local_port(socket));
        };
        (app as unknown as ExclusiveListener).listen(host, port, exclusivePort, done);
      }),
    async close() {
      app.close();
    },
  };
}

function serve(socket: WebSocket<unknown>, bytes: ArrayBuffer, isBinary: boolean): void {
  const message = isBinary ? binaryMessage : readMessage(Buffer.from(bytes).toString());
  if (message.type === 'subscribe') {
    socket.subscribe(message.stream);
    socket.send(subscribedMessage(message.stream));
  } else if (message.type === 'unsubscribe') socket.unsubscribe(message.stream);
  else if (message.type === 'echo') socket.send(bytes);
  else if (message.type === 'whisper') socket.publish(message.stream, bytes);
  else socket.send(errorMessage(message.why));
}
