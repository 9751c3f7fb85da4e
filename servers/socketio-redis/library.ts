import type { ServerOptions } from 'socket.io';
import { fail } from '../foreground.js';
import { packagesIn, packageVersion } from '../stats.js';

type Adapter = ServerOptions['adapter'];

/** Describes the part of a client of the package `redis` that is used here. */
export interface RedisClient {
  connect(): Promise<unknown>;
  /** Resolves when all sent commands are answered. */
  close(): Promise<void>;
  duplicate(): RedisClient;
  on(event: 'error', listener: () => void): unknown;
  sendCommand(command: readonly string[]): Promise<unknown>;
}

export interface Library {
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
