import { Server } from 'socket.io';
import { answerFetch, type BunServeOptions, type BunServer, serve } from '../bun/bun.js';
import { fail, runServer, type TargetServer } from '../foreground.js';
import { SocketioGame } from '../game/game.js';
import { socketioService } from '../socketio/service.js';
import { packagesIn, packageVersion, statsReader } from '../stats.js';

const name = 'socketio-bun-engine';
const library = '@socket.io/bun-engine';
const path = '/socket.io/';

/** The engine's handler lowers Bun's limit to 1 MB for every request. A publish can have 1 MiB. */
const settings = { maxRequestBodySize: 4 * 1024 * 1024 };

/** Describes the part of `@socket.io/bun-engine` that is used here. */
interface BunEngine {
  readonly clients: ReadonlyMap<string, unknown>;
  /** Returns the options for `Bun.serve`. */
  handler(): BunServeOptions<unknown>;
  handleRequest(request: Request, server: BunServer): Promise<Response>;
}

await runServer(name, async ({ values }) => build(await engineIn(values.packages)), { valued: ['packages'] });

function build({ engine, version: engineVersion }: Awaited<ReturnType<typeof engineIn>>): TargetServer {
  const io = new Server();
  io.bind(engine);
  const version = packageVersion('socket.io');
  const versions = { 'socket.io': version, [library]: engineVersion };
  const stats = statsReader({ versions, settings, connections: () => engine.clients.size });
  const service = socketioService(io, stats, new SocketioGame(io));
  let server: BunServer;
  return {
    version: `${version} on @socket.io/bun-engine ${engineVersion}`,
    async listen(hostname, port) {
      server = serve({
        ...engine.handler(),
        ...settings,
        hostname,
        port,
        fetch: (request, own) =>
          new URL(request.url).pathname === path ? engine.handleRequest(request, own) : answerFetch(service, request),
      });
      return [server.port];
    },
    async close() {
      await io.close();
      // Bun would wait for the answer of each client that was just sent a close.
      void server.stop(true);
    },
  };
}

/** Loads the engine. It is installed apart from the dependencies of Ringside. */
async function engineIn(folder: string | undefined): Promise<{ engine: BunEngine; version: string }> {
  if (folder === undefined) return fail(name, `--packages must be the folder in which ${library} is installed`, 2);
  const require = packagesIn(folder);
  const { Server: Engine } = await import(require.resolve(library));
  return { engine: new Engine({ path }), version: packageVersion(library, require) };
}
