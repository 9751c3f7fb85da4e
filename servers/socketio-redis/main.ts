import type { Server as HttpServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Server, type ServerOptions } from 'socket.io';
import type { TargetStats } from '../../src/targets/target.js';
import { fail, runServer, type TargetServer } from '../foreground.js';
import { httpSide, listen } from '../http-side.js';
import type { Service } from '../routes.js';
import { isSibling, runSibling, Siblings, siblingOptions, siblingWays, sumOf } from '../siblings.js';
import { socketioService } from '../socketio/service.js';
import { packagesIn, packageVersion, statsReader } from '../stats.js';
import {
  type RedisClient,
  type RedisServer,
  redisHost,
  redisSettings,
  redisStats,
  startRedis,
} from './redis-server.js';

const server = 'socketio-redis';

/** Creates the first process of the target, which also serves. It runs Redis and reports for all processes. */
function createServer(processes: number, isStreams: boolean, values: Readonly<Record<string, string>>): TargetServer {
  const { packages } = values;
  const ways = siblingWays(server, values);
  const { versions } = loadLibrary(packages, isStreams);
  const lost = (why: string): never => fail(server, why, 1);
  const settings = {
    processes,
    ...(ways.reviveAfterMs !== undefined && { reviveAfterMs: ways.reviveAfterMs }),
    balancer: 'none: a port for each process, WebSocket only',
    'redis-server': redisSettings,
  };
  let redis: RedisServer;
  let siblings: Siblings;
  let app: RedisApp;
  let port = 0;

  async function stats(): Promise<TargetStats> {
    const [parts, { version, use }] = await Promise.all([siblings.stats(), redisStats(app.redis, redis)]);
    const sum = sumOf({ port, stats: app.ownStats() }, parts, [use]);
    return { ...sum, versions: { ...sum.versions, 'redis-server': version } };
  }

  return {
    version: `${versions['socket.io']} with the client of Redis ${versions.redis}`,
    async listen(host, wanted) {
      redis = await startRedis(lost);
      const facts: RedisFacts = { redisPort: redis.port, isStreams, packages };
      siblings = new Siblings({ ...ways, lost, facts });
      app = await RedisApp.connect(facts, { settings, stats });
      // Siblings take free ports, so they must not start first.
      port = await app.listen(host, wanted);
      return [port, ...(await siblings.start(processes - 1, host))];
    },
    async close() {
      await Promise.all([siblings.close(), app.close()]);
      await redis.stop();
    },
  };
}

const lookAgainAfterMs = 10;

/** Holds the parts that every process of the target is built from. */
interface RedisFacts {
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
class RedisApp {
  private constructor(
    readonly redis: RedisClient,
    readonly ownStats: () => TargetStats,
    private readonly io: Server,
    private readonly http: HttpServer,
  ) {}

  /** Resolves once it receives the publishes of the others. */
  static async connect({ redisPort, isStreams, packages }: RedisFacts, ofFirst?: OfFirst): Promise<RedisApp> {
    const library = loadLibrary(packages, isStreams);
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
function loadLibrary(folder: string | undefined, isStreams: boolean): Library {
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

if (isSibling) await runSibling<RedisFacts>((facts) => RedisApp.connect(facts));
else
  await runServer(server, ({ processes, flags, values }) => createServer(processes, flags.has('streams'), values), {
    takesProcesses: true,
    flags: ['streams'],
    valued: [...siblingOptions, 'packages'],
  });
