import type { TargetStats } from '../../src/targets/target.js';
import { fail, runServer, type TargetServer } from '../foreground.js';
import { isSibling, runSibling, Siblings, siblingOptions, siblingWays, sumOf } from '../siblings.js';
import { loadLibrary, RedisApp, type RedisFacts } from './app.js';
import { type RedisServer, redisSettings, redisStats, startRedis } from './redis-server.js';

const server = 'socketio-redis';

if (isSibling) await runSibling<RedisFacts>((facts) => RedisApp.connect(facts));
else
  await runServer(server, ({ processes, flags, values }) => createServer(processes, flags.has('streams'), values), {
    takesProcesses: true,
    flags: ['streams'],
    valued: [...siblingOptions, 'packages'],
  });

/** Creates the first process of the target, which also serves. It runs Redis and reports for all processes. */
function createServer(processes: number, isStreams: boolean, values: Readonly<Record<string, string>>): TargetServer {
  const { packages } = values;
  const ways = siblingWays(server, values);
  const { versions } = loadLibrary(server, packages, isStreams);
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
      const facts: RedisFacts = { server, redisPort: redis.port, isStreams, packages };
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
