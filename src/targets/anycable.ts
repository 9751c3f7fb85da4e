import { authority } from './launch/address.js';
import { binaryOf, binaryOfPackage, binaryOnPath, type Found } from './launch/anycable-binary.js';
import { targetEnvironment } from './launch/child.js';
import { installedVersion } from './launch/installed-version.js';
import type { Target } from './target.js';

/** Stands for the port that the target serves on, which is known only when it starts. */
const mainPort = 'the port of the server';

/** Every flag that differs from anycable-go's defaults: anonymous clients, public streams, history, HTTP publishing. */
const flags: Record<string, string | true> = {
  public: true,
  presets: 'broker',
  broker: 'memory',
  broadcast_adapter: 'http',
  http_broadcast_port: mainPort,
  metrics_http: '/metrics',
};

const environment = { ANYCABLE_DISABLE_TELEMETRY: 'true' };

interface Edition extends Pick<Target, 'name' | 'summary'> {
  find(): Found;
  hint: string;
}

/** An `anycable-go` of this machine as a target. */
export function anycableServer({ name, summary, find, hint }: Edition): Target {
  return {
    name,
    summary,
    protocol: 'anycable',
    settings: { ...flags, ...environment },
    // Its goroutines use every core as it is.
    maxProcesses: 1,
    isApart: true,
    async availability() {
      const found = find();
      if ('why' in found) return { isAvailable: false, why: found.why, hint };
      return installedVersion(found.path, [], targetEnvironment(environment), hint);
    },
    start({ host, port }) {
      const found = find();
      const args = Object.entries(flags).map(([flag, value]) =>
        value === true ? `--${flag}` : `--${flag}=${value === mainPort ? port : value}`,
      );
      // Without a binary the name itself fails to start, and says so.
      const command = 'path' in found ? found.path : 'anycable-go';
      return { command, args: [`--host=${host}`, `--port=${port}`, ...args], env: { ...environment } };
    },
    endpoints(address) {
      const [wsUrl, http] = [`ws://${authority(address)}/cable`, `http://${authority(address)}`];
      return {
        ...{ wsUrl, wsUrls: [wsUrl], publishUrl: `${http}/_broadcast` },
        ...{ healthUrl: `${http}/health`, metricsUrl: `${http}${flags.metrics_http}` },
      };
    },
  };
}

/** `ANYCABLE_GO_BIN`, else `anycable-go` on PATH, else the npm package's binary. A wrong variable is an error. */
export function findAnycable(): Found {
  const named = binaryOf('ANYCABLE_GO_BIN');
  if (named !== undefined) return named;
  const places = [binaryOnPath(), binaryOfPackage()].filter((place) => place !== undefined);
  const nowhere = { why: 'no anycable-go in ANYCABLE_GO_BIN, on PATH or as an npm package' };
  return places.find((place) => 'path' in place) ?? places[0] ?? nowhere;
}

/** What to do where `findAnycable` finds none. */
export const anycableHint =
  'Set ANYCABLE_GO_BIN to an anycable-go binary. ' +
  'Or install @anycable/anycable-go and run `npx anycable-go --version` once, online.';

/** AnyCable as `findAnycable` finds it. */
export const anycable = anycableServer({
  name: 'anycable',
  summary: 'AnyCable with its in-memory broker',
  find: findAnycable,
  hint: anycableHint,
});

/** AnyCable Pro: only `ANYCABLE_GO_PRO_BIN`, so that no open-source binary passes for it. */
export const anycablePro = anycableServer({
  name: 'anycable-pro',
  summary: 'AnyCable Pro with its in-memory broker',
  find: () => binaryOf('ANYCABLE_GO_PRO_BIN') ?? { why: 'ANYCABLE_GO_PRO_BIN is not set' },
  hint: 'Set ANYCABLE_GO_PRO_BIN to an AnyCable Pro binary.',
});
