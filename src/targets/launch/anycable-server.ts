import type { Target } from '../target.js';
import { authority } from './address.js';
import type { Found } from './anycable-binary.js';
import { targetEnvironment } from './environment.js';
import { installedVersion } from './installed-version.js';

/** Stands for the port that the target serves on, which is known only when it starts. */
const mainPort = 'the port of the server';

/** Every flag that differs from the default of anycable-go: anonymous clients, public streams, history, publishing over HTTP. */
const flags: Record<string, string | true> = {
  public: true,
  presets: 'broker',
  broker: 'memory',
  broadcast_adapter: 'http',
  http_broadcast_port: mainPort,
  metrics_http: '/metrics',
};

const environment = { ANYCABLE_DISABLE_TELEMETRY: 'true' };

/** What one edition of AnyCable has of its own. */
export interface AnycableEdition {
  name: string;
  summary: string;
  /** Looks for the binary, at every call. */
  find(): Found;
  /** How to bring a binary. */
  hint: string;
}

/** An `anycable-go` of this machine as a target. */
export function anycableServer({ name, summary, find, hint }: AnycableEdition): Target {
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
      const at = authority(address);
      const wsUrl = `ws://${at}/cable`;
      const [publishUrl, healthUrl] = [`http://${at}/_broadcast`, `http://${at}/health`];
      return { wsUrl, wsUrls: [wsUrl], publishUrl, healthUrl, metricsUrl: `http://${at}${flags.metrics_http}` };
    },
  };
}
