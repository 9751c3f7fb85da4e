import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import type { Target } from '../target.js';
import { authority } from './address.js';
import { targetEnvironment } from './environment.js';
import { installedVersion } from './installed-version.js';
import { optionFlags } from './option-flags.js';

/** What one target of `servers/` has of its own. */
export interface OwnServer {
  name: string;
  summary: string;
  protocol: string;
  /** Folder under `servers/`. */
  folder: string;
  flags?: readonly string[];
  /** Path, and query where there is one, of the WebSocket endpoint. */
  wsPath: string;
  /** What to do when its library can't be loaded. */
  hint: string;
  /** As how many processes it can run, where its server takes `--processes`. */
  maxProcesses?: number;
  /** Where a batch that its server publishes by itself reaches its clients. */
  publishesInProcess?: true;
  /** Where its server takes `--revive`. */
  canRevive?: true;
  /** What its server takes as flags, beyond those of every server. */
  options?: z.ZodObject;
  isKnownTruth?: true;
}

/** A target of `servers/`, run by the Node that runs us. It tells its settings itself, in its stats. */
export function ownServer({
  name,
  summary,
  protocol,
  folder,
  flags = [],
  wsPath,
  hint,
  maxProcesses = 1,
  publishesInProcess,
  canRevive,
  options,
  isKnownTruth,
}: OwnServer): Target {
  const main = fileURLToPath(new URL(`../../../servers/${folder}/main.js`, import.meta.url));
  return {
    name,
    summary,
    protocol,
    settings: {},
    maxProcesses,
    ...(canRevive && { canRevive }),
    ...(options && { options }),
    ...(isKnownTruth && { isKnownTruth }),
    async availability() {
      if (!existsSync(main))
        return { isAvailable: false, why: `${main} is not there`, hint: 'Build it first: npm run build.' };
      return installedVersion(process.execPath, [main], targetEnvironment(), hint);
    },
    start: ({ host, port }, { processes = 1, furtherPorts = [], reviveAfterMs, options: values = {} } = {}) => ({
      command: process.execPath,
      args: [
        ...[main, '--host', host, '--port', String(port)],
        ...(processes === 1 ? [] : ['--processes', String(processes)]),
        ...(furtherPorts.length === 0 ? [] : ['--further-ports', furtherPorts.join(',')]),
        ...(reviveAfterMs === undefined ? [] : ['--revive', String(reviveAfterMs)]),
        ...flags,
        ...(options === undefined ? [] : optionFlags(options, values)),
      ],
      env: {},
    }),
    endpoints({ host, port, ports = [port] }) {
      const at = authority({ host, port });
      const wsUrls = ports.map((each) => `ws://${authority({ host, port: each })}${wsPath}`);
      return {
        wsUrl: wsUrls[0] ?? `ws://${at}${wsPath}`,
        wsUrls,
        publishUrl: `http://${at}/_broadcast`,
        ...(publishesInProcess && { inProcessUrl: `http://${at}/_publish-in-process` }),
        statsUrl: `http://${at}/_stats`,
        healthUrl: `http://${at}/health`,
      };
    },
  };
}
