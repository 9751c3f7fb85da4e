import type { Server as HttpServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Server, type ServerOptions } from 'socket.io';
import type { TargetStats } from '../../src/targets/target.js';
import { httpSide, listen } from '../http-side.js';
import type { Service } from '../routes.js';
import { socketioService } from '../socketio/service.js';
import { statsReader } from '../stats.js';
import { loadLibrary, type RedisClient } from './library.js';
import { redisHost } from './redis-server.js';

const lookAgainAfterMs = 10;

/** What every process of the target is built from. */
export interface RedisFacts {
  server: string;
  redisPort: number;
  isStreams: boolean;
  /** The folder of `--packages`. */
  packages: string | undefined;
}

/** What the first process has beyond the others. */
interface OfFirst {
  settings: Record<string, unknown>;
  stats: Service['stats'];
}

/** What each process sets beyond the library's defaults. */
export function appSettings(isStreams: boolean): Partial<ServerOptions> {
  // An empty object switches recovery on with the library's defaults. The adapter over Pub/Sub has none.
  return isStreams ? { connectionStateRecovery: {} } : {};
}

/** One process of the target: a Socket.IO server whose adapter reaches the others over Redis. */
export class RedisApp {
  readonly #io: Server;
  readonly #http: HttpServer;

  private constructor(
    readonly redis: RedisClient,
    readonly ownStats: () => TargetStats,
    { io, http }: { io: Server; http: HttpServer },
  ) {
    this.#io = io;
    this.#http = http;
  }

  /** Resolves once it hears what the others publish. */
  static async connect({ server, redisPort, isStreams, packages }: RedisFacts, ofFirst?: OfFirst): Promise<RedisApp> {
    const library = loadLibrary(server, packages, isStreams);
    const name = `${server}-${process.pid}`;
    const redis = await library.connect(`redis://${redisHost}:${redisPort}`, name);
    const settings = appSettings(isStreams);
    const io = new Server({ ...settings, adapter: await library.adapter(redis) });
    const ownStats = statsReader({
      versions: library.versions,
      settings: { ...settings, ...ofFirst?.settings },
      connections: () => io.engine.clientsCount,
    });
    const http = httpSide(socketioService(io, ofFirst?.stats ?? ownStats));
    io.attach(http);
    // The adapter does not say when it listens.
    while (!listed(await redis.sendCommand(['CLIENT', 'LIST']), name).some(library.isListening))
      await delay(lookAgainAfterMs);
    return new RedisApp(redis, ownStats, { io, http });
  }

  async listen(host: string, port: number): Promise<number> {
    const [listening] = await listen(this.#http, host, port);
    return listening;
  }

  async close(): Promise<void> {
    const closed = this.#io.close();
    this.#http.closeAllConnections();
    await closed;
    // Sessions of the clients that were just cut are on their way.
    await this.redis.close();
  }
}

/** The lines of CLIENT LIST that are about the connections of one name. */
function listed(clients: unknown, name: string): string[] {
  return String(clients)
    .split('\n')
    .filter((line) => line.includes(` name=${name} `));
}
