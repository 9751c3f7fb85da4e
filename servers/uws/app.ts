import type { TemplatedApp, us_listen_socket, WebSocket } from 'uWebSockets.js';
import type { TargetStats } from '../../src/targets/target.js';
import { packageVersion } from '../package-version.js';
import { statsReader } from '../stats.js';
import { binaryMessage, errorMessage, readMessage, subscribedMessage } from '../ws-json.js';
import { serveHttp } from './http.js';
import type { Library } from './library.js';
import type { Published, Reach, Relay } from './reach.js';
import { serveShootout, shootoutTopic } from './shootout.js';

/** The published types know this listen option only together with no host. */
interface ExclusiveListener {
  listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): void;
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT: by default two processes share a port in silence, and each gets a part of the connections. */
const exclusivePort = 1;

/** What differs between the processes of a target. */
export interface UwsAppOptions {
  /** Settings that the stats report beside the app's own. */
  settings: Record<string, unknown>;
  relay: Relay;
  /** Answers `GET /_stats`; this process's own stats where it is left out. */
  stats?: () => Promise<TargetStats>;
}

/** One process's part of the target: an app of the library with its own port. */
export class UwsApp {
  /** Version of the library under test. */
  readonly version = packageVersion('uWebSockets.js');
  /** Reads the stats of this process alone. */
  readonly ownStats: () => TargetStats;
  readonly #library: Library;
  readonly #app: TemplatedApp;
  #connections = 0;

  constructor(library: Library, { settings, relay, stats }: UwsAppOptions) {
    this.#library = library;
    this.#app = library.App();
    this.ownStats = statsReader({
      versions: { 'uWebSockets.js': this.version },
      settings: { listenOptions: 'LIBUS_LISTEN_EXCLUSIVE_PORT', ...settings },
      connections: () => this.#connections,
    });
    const service = {
      relay,
      publish: ({ stream, data }: Published) => {
        // The others first: they begin while this process is busy with its own subscribers.
        relay(stream, data);
        this.publish(stream, data);
      },
    };
    this.#app.ws('/ws', {
      open: () => {
        this.#connections += 1;
      },
      close: () => {
        this.#connections -= 1;
      },
      message: (socket, bytes, isBinary) => serve(socket, bytes, isBinary, service),
    });
    this.#app.ws('/shootout', {
      open: (socket) => {
        this.#connections += 1;
        socket.subscribe(shootoutTopic);
      },
      close: () => {
        this.#connections -= 1;
      },
      message: (socket, bytes, isBinary) => serveShootout(socket, bytes, isBinary, service),
    });
    serveHttp(this.#app, {
      publish: service.publish,
      stats: stats ?? this.ownStats,
    });
  }

  /** Resolves to the port in use. Rejects when the address can't be listened on. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const done = (socket: us_listen_socket | false) => {
        if (socket === false) reject(new Error('the port is in use, or the address is not one of this machine'));
        else resolve(this.#library.us_socket_local_port(socket));
      };
      (this.#app as unknown as ExclusiveListener).listen(host, port, exclusivePort, done);
    });
  }

  /** Hands a text to the library for every subscriber that this process has. */
  publish(stream: string, text: string): void {
    this.#app.publish(stream, text);
  }

  /** Stops listening and ends every connection of this process. */
  close(): void {
    this.#app.close();
  }
}

function serve(socket: WebSocket<unknown>, bytes: ArrayBuffer, isBinary: boolean, { relay, publish }: Reach): void {
  const text = isBinary ? '' : Buffer.from(bytes).toString();
  const message = isBinary ? binaryMessage : readMessage(text);
  if (message.type === 'subscribe') {
    socket.subscribe(message.stream);
    socket.send(subscribedMessage(message.stream));
  } else if (message.type === 'unsubscribe') socket.unsubscribe(message.stream);
  else if (message.type === 'echo') socket.send(bytes);
  else if (message.type === 'whisper') {
    relay(message.stream, text);
    socket.publish(message.stream, bytes);
  } else if (message.type === 'broadcast') publish(message);
  else socket.send(errorMessage(message.why));
}
