import type { Server as HttpServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Server, type ServerOptions } from 'socket.io';
import type { TargetStats } from '../../src/targets/target.js';
import { fail } from '../foreground.js';
import { httpSide, listen } from '../http-side.js';
import type { Service } from '../routes.js';
import { socketioService } from '../socketio/service.js';
import { packagesIn, packageVersion, statsReader } from '../stats.js';
import { type RedisClient, redisHost } from './redis-server.js';

const lookAgainAfterMs = 10;

/** Holds the parts that every process of the target is built from. */
export interface RedisFacts {
  server: string;
  redisPort: number;
  isStreams: boolean;
  /** Folder of `--packages`. */
  packages: string | undefined;
}

interface OfFirst {
  settings: Record<string, unknown>;
  stats: Service['stats'];
}

/** Runs one process of the target: a Socket.IO server whose adapter reaches the others over Redis. */
export class RedisApp {
  private constructor(
    readonly redis: RedisClient,
    readonly ownStats: () => TargetStats,
    private readonly io: Server,
    private readonly http: HttpServer,
  ) {}

  /** Resolves once it receives the publishes of the others. */
  static async connect({ server, redisPort, isStreams, packages }: RedisFacts, ofFirst?: OfFirst): Promise<RedisApp> {
    const library = loadLibrary(server, packages, isStreams);
    const name = `${server}-${process.pid}`;
    const redis = await library.connect(`redis://${redisHost}:${redisPort}`, name);
    // An empty object enables recovery with the library's defaults. The adapter over Pub/Sub has no recovery.
    const settings: Partial<ServerOptions> = isStreams ? { connectionStateRecovery: {} } : {};
    const io = new Server({ ...settings, adapter: await library.adapter(redis) });
    const ownStats = statsReader({
      versions: library.versions,
      settings: { ...settings, ...ofFirst?.settings },
      connections: () => io.engine.clientsCount,
    });
    const http = httpSide(socketioService(io, ofFirst?.stats ?? ownStats));
    io.attach(http);
    // The adapter has no event for when it listens.
    while (!listed(await redis.sendCommand(['CLIENT', 'LIST']), name).some(library.isListening))
      await delay(lookAgainAfterMs);
    return new RedisApp(redis, ownStats, io, http);
  }

  async listen(host: string, port: number): Promise<number> {
    const [listening] = await listen(this.http, host, port);
    return listening;
  }

  async close(): Promise<void> {
    const closed = this.io.close();
    this.http.closeAllConnections();
    await closed;
    // The sessions of the clients that were just cut are still on their way.
    await this.redis.close();
  }
}

function listed(clients: unknown, name: string): string[] {
  return String(clients)
    .split('\n')
    .filter((line) => line.includes(` name=${name} `));
}

type Adapter = ServerOptions['adapter'];

interface Library {
  versions: Record<string, string>;
  connect(url: string, name: string): Promise<RedisClient>;
  adapter(client: RedisClient): Promise<Adapter>;
  /** Returns true if a line of CLIENT LIST describes a connection on which the adapter listens. */
  isListening(line: string): boolean;
}

/** Loads the packages of `--packages`. Without them it ends the process of `server` with exit code 2. */
export function loadLibrary(server: string, folder: string | undefined, isStreams: boolean): Library {
  const package_ = isStreams ? '@socket.io/redis-streams-adapter' : '@socket.io/redis-adapter';
  if (folder === undefined) return fail(server, `--packages must be the folder in which ${package_} is installed`, 2);
  const require = packagesIn(folder);
  const { createClient } = require('redis') as { createClient(options: { url: string; name: string }): RedisClient };
  const { createAdapter } = require(package_) as { createAdapter(...clients: RedisClient[]): Adapter };
  const versionOf = (name: string): string => packageVersion(name, require);
  return {
    versions: { 'socket.io': packageVersion('socket.io'), [package_]: versionOf(package_), redis: versionOf('redis') },
    connect: (url, name) => connected(createClient({ url, name })),
    adapter: async (client) =>
      isStreams ? createAdapter(client) : createAdapter(client, await connected(client.duplicate())),
    isListening: (line) => line.includes(isStreams ? ' cmd=xread ' : ' psub=1 '),
  };
}

async function connected(client: RedisClient): Promise<RedisClient> {
  // The client reconnects by itself. The first process ends all others if Redis ends.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
