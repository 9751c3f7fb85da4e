import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { namesAtLeast } from '../units/package-files.js';
import { unlessCode } from '../units/system.js';
import { targetEnvironment } from './launch/child.js';
import { isExecutable, namedVersion, onPath } from './launch/programs.js';
import { authority } from './launch/readiness.js';
import { pusherApp } from './pusher-servers.js';
import type { Target } from './target.js';

/** Placeholder for the port that the target serves on, which is known only when it starts. */
const mainPort = 'the port of the server';

/** Flags that differ from the defaults in every mode: history, HTTP publishing, and metrics on the main port. */
const flags: Flags = {
  presets: 'broker',
  broker: 'memory',
  broadcast_adapter: 'http',
  http_broadcast_port: mainPort,
  metrics_http: '/metrics',
};

const environment = { ANYCABLE_DISABLE_TELEMETRY: 'true' };

type Flags = Readonly<Record<string, string | true>>;

/** Describes how an `anycable-go` serves clients. Results show no value of `secrets`, which are in the environment. */
interface Mode {
  protocol: string;
  flags: Flags;
  environment: Record<string, string>;
  secrets: Record<string, string>;
  /** Verbs of the protocol that it lacks. */
  lacks?: readonly string[];
  /** The version that introduced the mode, if not all that Ringside knows have it. */
  since?: string;
  wsPath: string;
  publishPath: string;
}

/** Serves anonymous clients and public streams. */
const ofCable: Mode = {
  protocol: 'anycable',
  flags: { public: true, ...flags },
  environment,
  secrets: {},
  wsPath: '/cable',
  publishPath: '/_broadcast',
};

/** Serves Pusher's protocol beside AnyCable's own, without RPC. Its HTTP API has no batches. */
const ofPusher: Mode = {
  protocol: 'pusher',
  lacks: ['batch'],
  since: '1.6.3',
  flags: { norpc: true, ...flags },
  environment: { ...environment, ANYCABLE_PUSHER_APP_ID: pusherApp.id, ANYCABLE_PUSHER_APP_KEY: pusherApp.key },
  secrets: { ANYCABLE_PUSHER_SECRET: pusherApp.secret },
  wsPath: pusherApp.wsPath,
  publishPath: pusherApp.publishPath,
};

interface Edition extends Pick<Target, 'name' | 'summary'> {
  find(): FoundBinary;
  hint: string;
  mode?: Mode;
}

export function anycableServer({ name, summary, find, hint, mode = ofCable }: Edition): Target {
  return {
    name,
    summary,
    protocol: mode.protocol,
    ...(mode.lacks && { lacks: mode.lacks }),
    settings: { ...mode.flags, ...mode.environment, ...hidden(mode.secrets) },
    // Its goroutines already use every core.
    maxProcesses: 1,
    isApart: true,
    async availability() {
      const found = find();
      if ('why' in found) return { isAvailable: false, why: found.why, hint };
      const available = await namedVersion(found.path, ['--version'], targetEnvironment(mode.environment), hint);
      const { since, protocol } = mode;
      if (!available.isAvailable || since === undefined || namesAtLeast(available.version, since)) return available;
      const why = `AnyCable serves ${protocol} from ${since} on, and ${found.path} is ${available.version}`;
      return { isAvailable: false, why, hint: `Bring AnyCable ${since} or newer. ${hint}` };
    },
    start({ host, port }) {
      const found = find();
      const args = Object.entries(mode.flags).map(([flag, value]) =>
        value === true ? `--${flag}` : `--${flag}=${value === mainPort ? port : value}`,
      );
      // Without a binary, starting the name itself fails with a clear error.
      const command = 'path' in found ? found.path : 'anycable-go';
      const env = { ...mode.environment, ...mode.secrets };
      return { command, args: [`--host=${host}`, `--port=${port}`, ...args], env };
    },
    endpoints(address) {
      const [wsUrl, http] = [`ws://${authority(address)}${mode.wsPath}`, `http://${authority(address)}`];
      return {
        ...{ wsUrl, wsUrls: [wsUrl], publishUrl: `${http}${mode.publishPath}` },
        ...{ healthUrl: `${http}/health`, metricsUrl: `${http}${flags.metrics_http}` },
      };
    },
  };
}

function hidden(secrets: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(secrets).map((name) => [name, '(hidden)']));
}

/** Finds `ANYCABLE_GO_BIN`, else `anycable-go` on PATH, else the npm package's binary. A wrong variable is an error. */
export const openSource: Pick<Edition, 'find' | 'hint'> = {
  find() {
    const named = binaryOf('ANYCABLE_GO_BIN');
    if (named !== undefined) return named;
    const places = [binaryOnPath(), binaryOfPackage()].filter((place) => place !== undefined);
    const nowhere = { why: 'no anycable-go in ANYCABLE_GO_BIN, on PATH or as an npm package' };
    return places.find((place) => 'path' in place) ?? places[0] ?? nowhere;
  },
  hint:
    'Set ANYCABLE_GO_BIN to an anycable-go binary. ' +
    'Or install @anycable/anycable-go and run `npx anycable-go --version` once, online.',
};

export const anycableTarget = anycableServer({
  ...openSource,
  name: 'anycable',
  summary: 'AnyCable with its in-memory broker',
});

export const anycablePusher = anycableServer({
  ...openSource,
  name: 'anycable-pusher',
  summary: 'AnyCable as a Pusher server with its in-memory broker',
  mode: ofPusher,
});

/** AnyCable Pro. Only `ANYCABLE_GO_PRO_BIN` names it, so that no open-source binary passes for it. */
export const anycablePro = anycableServer({
  name: 'anycable-pro',
  summary: 'AnyCable Pro with its in-memory broker',
  find: () => binaryOf('ANYCABLE_GO_PRO_BIN') ?? { why: 'ANYCABLE_GO_PRO_BIN is not set' },
  hint: 'Set ANYCABLE_GO_PRO_BIN to an AnyCable Pro binary.',
});

type FoundBinary = { path: string } | { why: string };

/** Returns the binary that an environment variable names. Undefined if it names none. */
function binaryOf(variable: string): FoundBinary | undefined {
  const path = process.env[variable];
  if (!path) return undefined;
  return isExecutable(path) ? behindLauncher(path) : { why: `${variable} is ${path}, which is not an executable file` };
}

export function binaryOnPath(): FoundBinary | undefined {
  const path = onPath('anycable-go');
  return path === undefined ? undefined : behindLauncher(path);
}

/** Returns the binary that the optional npm package has already downloaded. */
function binaryOfPackage(): FoundBinary | undefined {
  return unlessCode(['MODULE_NOT_FOUND'], () => {
    const manifest = createRequire(import.meta.url).resolve('@anycable/anycable-go/package.json');
    return behindLauncher(join(dirname(manifest), 'bin', 'index.mjs'));
  });
}

/** Resolves the npm package's script to its binary. The script runs it as a child that no signal reaches. */
function behindLauncher(path: string): FoundBinary {
  const real = realpathSync(path);
  if (extname(real) !== '.mjs') return { path };
  const binary = join(dirname(real), 'anycable-go');
  return isExecutable(binary)
    ? { path: binary }
    : { why: 'the npm package @anycable/anycable-go has not downloaded its binary' };
}
