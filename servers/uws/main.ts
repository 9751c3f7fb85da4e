import type { TemplatedApp, WebSocket } from 'uWebSockets.js';
import type { TargetStats } from '../../src/targets/target.js';
import { fail, runServer, type TargetServer } from '../foreground.js';
import { broadcastMessage, hearShootout, hearWsJson, type ShootoutActions, type WsJsonActions } from '../messages.js';
import type { Broadcast } from '../routes.js';
import { isSibling, runSibling, Siblings, siblingOptions, siblingWays, sumOf } from '../siblings.js';
import { statsReader } from '../stats.js';
import { compressionSettings, listenAlone, listenSettings, loadUws, serveHttp, type UwsLibrary } from './library.js';

interface UwsFacts {
  /** Folder of `--packages`. */
  packages?: string | undefined;
  compression?: string | undefined;
}

/** Creates the first of `processes`, which also serves. It reports for all of them. */
function createServer(library: UwsLibrary, processes: number, values: Readonly<Record<string, string>>): TargetServer {
  const ways = siblingWays('uws', values);
  const { reviveAfterMs } = ways;
  const facts: UwsFacts = { packages: values.packages, compression: values.compression };
  const siblings = new Siblings({
    ...ways,
    facts,
    published: (stream, text) => app.publish(stream, text),
    // A target that silently lost a process would falsify every count.
    lost: (why) => fail('uws', why, 1),
  });
  const isAlone = processes === 1;
  let port = 0;
  const app = new UwsApp(library, {
    settings: {
      ...compressionSettings(values),
      ...(!isAlone && { processes }),
      ...(reviveAfterMs !== undefined && { reviveAfterMs }),
    },
    relay: (stream, text) => siblings.relay(stream, text),
    stats: async () => (isAlone ? app.ownStats() : sumOf({ port, stats: app.ownStats() }, await siblings.stats())),
  });
  return {
    version: library.version,
    async listen(host, wanted) {
      // Siblings take free ports, so they must not start first.
      port = await app.listen(host, wanted);
      return [port, ...(await siblings.start(processes - 1, host))];
    },
    async close() {
      // All processes close at once, because closing tens of thousands of connections takes each some time.
      const gone = siblings.close();
      app.close();
      await gone;
    },
  };
}

type Relay = (stream: string, text: string) => void;

/** Names the topic of every shootout connection. No `ws-json` stream has this name. */
const shootoutTopic = '';

interface UwsAppOptions {
  settings: Record<string, unknown>;
  relay: Relay;
  /** Answers `GET /_stats`. By default it reports this process's own stats. */
  stats?: () => Promise<TargetStats>;
}

/** Runs one process's part of the target: an app of the library with its own port. */
class UwsApp {
  readonly ownStats: () => TargetStats;
  readonly #app: TemplatedApp;
  readonly #isCompressed: boolean;
  #connections = 0;

  constructor(
    private readonly library: UwsLibrary,
    { settings, relay, stats }: UwsAppOptions,
  ) {
    this.#app = library.uws.App();
    this.#isCompressed = settings.compression !== undefined;
    this.ownStats = statsReader({
      versions: { 'uWebSockets.js': library.version },
      settings: { ...listenSettings, ...settings },
      connections: () => this.#connections,
    });
    const publish = ({ stream, data }: Pick<Broadcast, 'stream' | 'data'>): void => {
      // The other processes come first. They work while this process serves its own subscribers.
      relay(stream, data);
      this.publish(stream, data);
    };
    const onWsJson: WsJsonActions<WebSocket<unknown>, ArrayBuffer> = {
      subscribe: (socket, stream) => socket.subscribe(stream),
      unsubscribe: (socket, stream) => socket.unsubscribe(stream),
      say: (socket, text) => socket.send(text),
      echo: (socket, bytes) => socket.send(bytes),
      whisper(socket, stream, bytes) {
        relay(stream, Buffer.from(bytes).toString());
        socket.publish(stream, bytes);
      },
      broadcast: (_socket, published) => publish(published),
    };
    const onShootout: ShootoutActions<WebSocket<unknown>> = {
      say: (socket, text) => socket.send(text),
      // A process knows only its own listeners, so it counts none.
      broadcast: (_socket, payload) => publish({ stream: shootoutTopic, data: broadcastMessage(payload) }) as undefined,
    };
    this.#serve('/ws', (socket, text, bytes) => hearWsJson(onWsJson, socket, text, bytes));
    this.#serve('/shootout', (socket, text) => hearShootout(onShootout, socket, text), shootoutTopic);
    serveHttp(this.#app, { publish, stats: stats ?? this.ownStats });
  }

  /** Serves an endpoint. If `topic` is given, its clients begin with a subscription to it. */
  #serve(
    path: string,
    message: (socket: WebSocket<unknown>, text: string | undefined, bytes: ArrayBuffer) => void,
    topic?: string,
  ): void {
    this.#app.ws(path, {
      ...(this.#isCompressed && { compression: this.library.uws.SHARED_COMPRESSOR }),
      open: (socket) => {
        this.#connections += 1;
        if (topic !== undefined) socket.subscribe(topic);
      },
      close: () => {
        this.#connections -= 1;
      },
      message: (socket, bytes, isBinary) =>
        message(socket, isBinary ? undefined : Buffer.from(bytes).toString(), bytes),
    });
  }

  listen(host: string, port: number): Promise<number> {
    return listenAlone(this.library, this.#app, host, port);
  }

  publish(stream: string, text: string): void {
    this.#app.publish(stream, text, false, this.#isCompressed);
  }

  close(): void {
    this.#app.close();
  }
}

if (isSibling)
  await runSibling<UwsFacts>(({ packages, ...facts }, say) => {
    const relay = (stream: string, text: string): void => say({ kind: 'publish', stream, text });
    return new UwsApp(loadUws('uws', packages), { settings: compressionSettings(facts), relay });
  });
else
  await runServer('uws', ({ processes, values }) => createServer(loadUws('uws', values.packages), processes, values), {
    takesProcesses: true,
    valued: [...siblingOptions, 'packages', 'compression'],
  });
