import type { TemplatedApp, WebSocket, WebSocketBehavior } from 'uWebSockets.js';
import type { TargetStats } from '../../src/targets/target.js';
import type { Broadcast } from '../broadcast.js';
import { broadcastMessage, echoMessage, readShootout, resultMessage } from '../shootout.js';
import { statsReader } from '../stats.js';
import { binaryMessage, errorMessage, readMessage, subscribedMessage } from '../ws-json.js';
import { serveHttp } from './http.js';
import { listenAlone, listenSettings, type UwsLibrary } from './library.js';

interface UwsAppOptions {
  settings: Record<string, unknown>;
  relay: Relay;
  /** Answers `GET /_stats`. By default it reports this process's own stats. */
  stats?: () => Promise<TargetStats>;
}

/** Runs one process's part of the target: an app of the library with its own port. */
export class UwsApp {
  readonly ownStats: () => TargetStats;
  readonly #app: TemplatedApp;
  #connections = 0;

  constructor(
    private readonly library: UwsLibrary,
    { settings, relay, stats }: UwsAppOptions,
  ) {
    this.#app = library.uws.App();
    this.ownStats = statsReader({
      versions: { 'uWebSockets.js': library.version },
      settings: { ...listenSettings, ...settings },
      connections: () => this.#connections,
    });
    const service: Reach = {
      relay,
      publish: ({ stream, data }) => {
        // The other processes come first. They work while this process serves its own subscribers.
        relay(stream, data);
        this.publish(stream, data);
      },
    };
    this.#serve('/ws', (...said) => serve(...said, service));
    this.#serve('/shootout', (...said) => serveShootout(...said, service), shootoutTopic);
    serveHttp(this.#app, { publish: service.publish, stats: stats ?? this.ownStats });
  }

  /** Serves an endpoint. If `topic` is given, its clients begin with a subscription to it. */
  #serve(path: string, message: Required<WebSocketBehavior<unknown>>['message'], topic?: string): void {
    this.#app.ws(path, {
      open: (socket) => {
        this.#connections += 1;
        if (topic !== undefined) socket.subscribe(topic);
      },
      close: () => {
        this.#connections -= 1;
      },
      message,
    });
  }

  listen(host: string, port: number): Promise<number> {
    return listenAlone(this.library, this.#app, host, port);
  }

  publish(stream: string, text: string): void {
    this.#app.publish(stream, text);
  }

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

type Relay = (stream: string, text: string) => void;

interface Reach {
  relay: Relay;
  publish(published: Pick<Broadcast, 'stream' | 'data'>): void;
}

/** Names the topic of every shootout connection. No `ws-json` stream has this name. */
const shootoutTopic = '';

/** Handles one `shootout` message. It reports no listener count, because a process knows only its own listeners. */
function serveShootout(socket: WebSocket<unknown>, bytes: ArrayBuffer, isBinary: boolean, { publish }: Reach): void {
  const message = isBinary ? binaryMessage : readShootout(Buffer.from(bytes).toString());
  if (message.type === 'echo') socket.send(echoMessage(message.payload));
  else if (message.type === 'broadcast') {
    publish({ stream: shootoutTopic, data: broadcastMessage(message.payload) });
    socket.send(resultMessage(message.payload));
  } else if (message.type === 'wrong') socket.send(errorMessage(message.why));
}
