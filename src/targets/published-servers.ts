import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { namesAtLeast } from '../units/package-files.js';
import { unlessCode } from '../units/system.js';
import { targetEnvironment } from './launch/child.js';
import { isExecutable, namedVersion, onPath } from './launch/programs.js';
import { authority } from './launch/readiness.js';
import { sockudoNeed, soketiIn, soketiNeed } from './needs/list.js';
import { type FilledNeed, folderOf, type Lack, lackOf } from './needs/need.js';
import type { Target } from './target.js';

/** The app of the Pusher servers here, which the options of the protocol name by default, and its paths. */
export const pusherApp = {
  id: 'app-id',
  key: 'app-key',
  secret: 'app-secret',
  wsPath: '/app/app-key?protocol=7',
  publishPath: '/apps/app-id/events',
} as const;

interface Address {
  host: string;
  port: number;
}

type Command = readonly [program: string, ...args: string[]];

/** A published server in one process, which does not keep the contract of servers/README.md. */
interface PublishedServer extends Pick<Target, 'name' | 'summary' | 'protocol' | 'settings' | 'needs' | 'lacks'> {
  /** Returns its program with the first arguments, or why it is not here. */
  find(): Command | Lack;
  /** Advice if it can't name its version, or is too old. */
  hint: string;
  /** The version that introduced what it is used for, if not all that Ringside knows have it. */
  since?: string;
  args(address: Address): string[];
  env(address: Address): Record<string, string>;
  paths: Record<'ws' | 'publish' | 'health', string> & { metrics?: string };
}

function publishedServer({ find, hint, since, args, env, paths, ...own }: PublishedServer): Target {
  return {
    ...own,
    // The threads of each already use every core.
    maxProcesses: 1,
    isApart: true,
    async availability() {
      const found = find();
      if ('why' in found) return { isAvailable: false, ...found };
      const [program, ...first] = found;
      const here = { host: '127.0.0.1', port: 0 };
      const available = await namedVersion(program, [...first, '--version'], targetEnvironment(env(here)), hint);
      if (!available.isAvailable || since === undefined || namesAtLeast(available.version, since)) return available;
      const why = `AnyCable serves ${own.protocol} from ${since} on, and ${program} is ${available.version}`;
      return { isAvailable: false, why, hint: `Bring AnyCable ${since} or newer. ${hint}` };
    },
    start(address) {
      const found = find();
      // Without a program, starting the name itself fails with a clear error.
      const [command, ...first] = 'why' in found ? ([own.name] as const) : found;
      return { command, args: [...first, ...args(address)], env: env(address) };
    },
    endpoints(address) {
      const [wsUrl, http] = [`ws://${authority(address)}${paths.ws}`, `http://${authority(address)}`];
      return {
        ...{ wsUrl, wsUrls: [wsUrl], publishUrl: `${http}${paths.publish}`, healthUrl: `${http}${paths.health}` },
        ...(paths.metrics !== undefined && { metricsUrl: `${http}${paths.metrics}` }),
      };
    },
  };
}

/** Returns a server that `ringside install` brings, with the app of `pusherApp`. */
function installedPusher({
  need,
  command,
  ...own
}: Pick<PublishedServer, 'name' | 'summary' | 'settings' | 'args' | 'env'> & {
  need: FilledNeed;
  command(): Command;
}): Target {
  return publishedServer({
    ...own,
    protocol: 'pusher',
    needs: [need],
    find: () => lackOf([need]) ?? command(),
    hint: `Install it again: ringside install ${need.name}.`,
    paths: { ws: pusherApp.wsPath, publish: pusherApp.publishPath, health: '/ready' },
  });
}

/** Every setting that differs from Soketi's defaults: clients may whisper. */
const soketiSettings = { SOKETI_DEFAULT_APP_ENABLE_CLIENT_MESSAGES: 'true' };

/** Soketi with its defaults and its own app, run by this Node. Its metrics stay off, as they cost work per delivery. */
export const soketi = installedPusher({
  name: 'soketi',
  summary: 'Soketi 1.6 with its in-memory adapter',
  settings: { 'uWebSockets.js': '20.51.4 (@uwsjs/core), not 20.10.0', ...soketiSettings },
  need: soketiNeed,
  command: () => [process.execPath, soketiIn(folderOf(soketiNeed))],
  args: () => ['start'],
  env: ({ host, port }) => ({
    ...soketiSettings,
    SOKETI_HOST: host,
    SOKETI_PORT: String(port),
    // Even without metrics it listens there. On a fixed port, several at once would share it.
    SOKETI_METRICS_HOST: host,
    SOKETI_METRICS_SERVER_PORT: '0',
  }),
});

/** Every setting that differs from Sockudo's defaults: no rate limits, 100,000 connections and not 100, whispers. */
const sockudoSettings = {
  RATE_LIMITER_ENABLED: 'false',
  SOCKUDO_DEFAULT_APP_MAX_CONNECTIONS: '100000',
  SOCKUDO_DEFAULT_APP_ENABLE_CLIENT_MESSAGES: 'true',
};

/** Sockudo with its in-memory adapter, as Cargo builds it. It has no app of its own. */
export const sockudo = installedPusher({
  name: 'sockudo',
  summary: 'Sockudo 5.2 with its in-memory adapter, in Rust',
  settings: sockudoSettings,
  need: sockudoNeed,
  command: () => [join(folderOf(sockudoNeed), 'bin/sockudo')],
  args: () => [],
  env: ({ host, port }) => ({
    ...sockudoSettings,
    SOCKUDO_DEFAULT_APP_ID: pusherApp.id,
    SOCKUDO_DEFAULT_APP_KEY: pusherApp.key,
    SOCKUDO_DEFAULT_APP_SECRET: pusherApp.secret,
    HOST: host,
    PORT: String(port),
    // Its metrics would listen on a fixed port of all addresses.
    METRICS_HOST: host,
    METRICS_PORT: '0',
  }),
});

/** Placeholder for the port that AnyCable serves on, which is known only when it starts. */
const mainPort = 'the port of the server';

/** Flags that differ from AnyCable's defaults: history, HTTP publishing, and metrics on the main port. */
const cableFlags = {
  presets: 'broker',
  broker: 'memory',
  broadcast_adapter: 'http',
  http_broadcast_port: mainPort,
  metrics_http: '/metrics',
};

/** Describes an `anycable-go`: how it serves clients, and where its binary is. */
interface AnyCable extends Pick<PublishedServer, 'name' | 'summary' | 'find' | 'hint'> {
  isPusher?: true;
}

/**
 * Returns an `anycable-go` for anonymous clients of public streams, or as a server of Pusher's protocol without RPC,
 * whose HTTP API has no batches. Results show no secret.
 */
export function anycableServer({ isPusher, ...own }: AnyCable): Target {
  const flags: Record<string, string | true> = { ...(isPusher ? { norpc: true } : { public: true }), ...cableFlags };
  const environment = {
    ANYCABLE_DISABLE_TELEMETRY: 'true',
    ...(isPusher && { ANYCABLE_PUSHER_APP_ID: pusherApp.id, ANYCABLE_PUSHER_APP_KEY: pusherApp.key }),
  };
  const secret = isPusher && 'ANYCABLE_PUSHER_SECRET';
  const { ws, publish } = isPusher
    ? { ws: pusherApp.wsPath, publish: pusherApp.publishPath }
    : { ws: '/cable', publish: '/_broadcast' };
  return publishedServer({
    ...own,
    protocol: isPusher ? 'pusher' : 'anycable',
    ...(isPusher && { lacks: ['batch'], since: '1.6.3' }),
    settings: { ...flags, ...environment, ...(secret && { [secret]: '(hidden)' }) },
    args: ({ host, port }) => [
      ...[`--host=${host}`, `--port=${port}`],
      ...Object.entries(flags).map(([flag, value]) =>
        value === true ? `--${flag}` : `--${flag}=${value === mainPort ? port : value}`,
      ),
    ],
    env: () => ({ ...environment, ...(secret && { [secret]: pusherApp.secret }) }),
    paths: { ws, publish, health: '/health', metrics: cableFlags.metrics_http },
  });
}

const openHint =
  'Set ANYCABLE_GO_BIN to an anycable-go binary. ' +
  'Or install @anycable/anycable-go and run `npx anycable-go --version` once, online.';

/** Finds `ANYCABLE_GO_BIN`, else `anycable-go` on PATH, else the npm package's binary. A wrong variable is an error. */
export function findAnycable(): Command | Lack {
  const named = binaryOf('ANYCABLE_GO_BIN', openHint);
  if (named !== undefined) return named;
  const places = [binaryOnPath(), binaryOfPackage()].filter((place) => place !== undefined);
  const why = 'no anycable-go in ANYCABLE_GO_BIN, on PATH or as an npm package';
  return places.find((place) => !('why' in place)) ?? places[0] ?? { why, hint: openHint };
}

const openSource = { find: findAnycable, hint: openHint };

export const anycableTarget = anycableServer({
  ...openSource,
  name: 'anycable',
  summary: 'AnyCable with its in-memory broker',
});

export const anycablePusher = anycableServer({
  ...openSource,
  name: 'anycable-pusher',
  summary: 'AnyCable as a Pusher server with its in-memory broker',
  isPusher: true,
});

const proHint = 'Set ANYCABLE_GO_PRO_BIN to an AnyCable Pro binary.';

/** AnyCable Pro. Only `ANYCABLE_GO_PRO_BIN` names it, so that no open-source binary passes for it. */
export const anycablePro = anycableServer({
  name: 'anycable-pro',
  summary: 'AnyCable Pro with its in-memory broker',
  find: () => binaryOf('ANYCABLE_GO_PRO_BIN', proHint) ?? { why: 'ANYCABLE_GO_PRO_BIN is not set', hint: proHint },
  hint: proHint,
});

/** Returns the binary that an environment variable names. Undefined if it names none. */
function binaryOf(variable: string, hint: string): Command | Lack | undefined {
  const path = process.env[variable];
  if (!path) return undefined;
  if (isExecutable(path)) return behindLauncher(path);
  return { why: `${variable} is ${path}, which is not an executable file`, hint };
}

export function binaryOnPath(): Command | Lack | undefined {
  const path = onPath('anycable-go');
  return path === undefined ? undefined : behindLauncher(path);
}

/** Returns the binary that the optional npm package has already downloaded. */
function binaryOfPackage(): Command | Lack | undefined {
  return unlessCode(['MODULE_NOT_FOUND'], () => {
    const manifest = createRequire(import.meta.url).resolve('@anycable/anycable-go/package.json');
    return behindLauncher(join(dirname(manifest), 'bin', 'index.mjs'));
  });
}

/** Resolves the npm package's script to its binary. The script runs it as a child that no signal reaches. */
function behindLauncher(path: string): Command | Lack {
  const real = realpathSync(path);
  if (extname(real) !== '.mjs') return [path];
  const binary = join(dirname(real), 'anycable-go');
  if (isExecutable(binary)) return [binary];
  return { why: 'the npm package @anycable/anycable-go has not downloaded its binary', hint: openHint };
}
