import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Server } from 'socket.io';
import { type BunServeOptions, type BunServer, serve } from '../bun/bun.js';
import { answerFetch } from '../bun/http.js';
import { fail, runServer, type TargetServer } from '../foreground.js';
import { serveEvents } from '../socketio/events.js';
import { packageVersion, statsReader } from '../stats.js';

const name = 'socketio-bun-engine';
const path = '/socket.io/';

/** By its handler the engine lowers Bun's limit to 1 MB for every request. A publish may have 1 MiB. */
const settings = { maxRequestBodySize: 4 * 1024 * 1024 };

/** The part of `@socket.io/bun-engine` that is used here. */
interface BunEngine {
  readonly clients: ReadonlyMap<string, unknown>;
  /** What `Bun.serve` is to be given. */
  handler(): BunServeOptions<unknown>;
  handleRequest(request: Request, server: BunServer): Promise<Response>;
}

await runServer(name, async ({ values }) => build(await engineIn(values.engine)), { valued: ['engine'] });

function build({ engine, version: engineVersion }: Awaited<ReturnType<typeof engineIn>>): TargetServer {
  const io = new Server();
  io.bind(engine);
  io.on('connection', serveEvents);
  const version = packageVersion('socket.io');
  const versions = { 'socket.io': version, '@socket.io/bun-engine': engineVersion };
  const stats = statsReader({ versions, settings, connections: () => engine.clients.size });
  const service = {
    publish: ({ stream, value }: { stream: string; value: unknown }) => void io.to(stream).emit('message', value),
    stats,
  };
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
      await server.stop(true);
    },
  };
}

/** The engine of the package in a folder: it is installed apart from the other dependencies. */
async function engineIn(folder: string | undefined): Promise<{ engine: BunEngine; version: string }> {
  if (folder === undefined) return fail(name, '--engine must be the folder of @socket.io/bun-engine', 2);
  const { main, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { Server: Engine } = await import(pathToFileURL(join(folder, main)).href);
  return { engine: new Engine({ path }), version };
}
