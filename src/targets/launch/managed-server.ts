import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { optionsOf } from '../../options/option.js';
import { units } from '../../units/list.js';
import { lackOf } from '../needs/lack.js';
import { folderOf } from '../needs/place.js';
import type { Runtime } from '../runtimes.js';
import type { Target } from '../target.js';
import { authority } from './address.js';
import { targetEnvironment } from './child.js';
import { installedVersion } from './installed-version.js';

/** What one target of `servers/` has of its own. */
export interface ManagedServer
  extends Pick<Target, 'name' | 'summary' | 'protocol' | 'canRevive' | 'options' | 'isKnownTruth'> {
  folder: string;
  flags?: readonly string[];
  wsPath: string;
  /** What to do if its library can't be loaded. */
  hint?: string;
  /** Above 1, the server takes `--processes`. */
  maxProcesses?: number;
  publishesInProcess?: true;
  /** What it is made for, if that is not Node. */
  runtime?: Runtime;
  /** Its library is not the same on every runtime: `--packages` names the folder that has the runtime's. */
  takesPackages?: true;
  /** Where it takes publishes as its protocol makes them; by default `/_broadcast`. */
  publishPath?: string;
}

/** A target of `servers/`, run by this Node or by its runtime. Its stats tell its settings and its runtime. */
export function managedServer(server: ManagedServer): Target {
  const target = targetOn(server.runtime, server);
  return server.runtime ? target : { ...target, on: (runtime) => targetOn(runtime, server) };
}

function targetOn(runtime: Runtime | undefined, server: ManagedServer): Target {
  const { folder, flags = [], wsPath, maxProcesses = 1, publishPath = '/_broadcast' } = server;
  const hint = runtime
    ? `Install it again, ringside install ${runtime.need.name}, or start it on a newer system.`
    : (server.hint ?? 'Install the dependencies: npm ci.');
  const { name, summary, protocol, canRevive, options: schema, isKnownTruth, publishesInProcess } = server;
  const packages = (): string[] => (runtime && server.takesPackages ? ['--packages', folderOf(runtime.need)] : []);
  const program = (): string => runtime?.program() ?? process.execPath;
  const needs = runtime ? [runtime.need] : [];
  const main = fileURLToPath(new URL(`../../../servers/${folder}/main.js`, import.meta.url));
  return {
    ...{ name, summary, protocol, settings: {}, maxProcesses, needs },
    ...(canRevive && { canRevive }),
    ...(schema && { options: schema }),
    ...(isKnownTruth && { isKnownTruth }),
    async availability() {
      if (!existsSync(main))
        return { isAvailable: false, why: `${main} is not there`, hint: 'Build it first: npm run build.' };
      const lack = lackOf(needs);
      if (lack) return { isAvailable: false, ...lack };
      return installedVersion(program(), [main, ...packages()], targetEnvironment(), hint);
    },
    start: ({ host, port }, { processes = 1, furtherPorts = [], reviveAfterMs, options = {} } = {}) => ({
      command: program(),
      args: [
        ...[main, '--host', host, '--port', String(port)],
        ...(processes === 1 ? [] : ['--processes', String(processes)]),
        ...(furtherPorts.length === 0 ? [] : ['--further-ports', furtherPorts.join(',')]),
        ...(reviveAfterMs === undefined ? [] : ['--revive', String(reviveAfterMs)]),
        ...packages(),
        ...flags,
        ...(schema === undefined ? [] : optionFlags(schema, options)),
      ],
      env: {},
    }),
    endpoints({ host, port, ports = [port] }) {
      const http = `http://${authority({ host, port })}`;
      const wsUrls = ports.map((each) => `ws://${authority({ host, port: each })}${wsPath}`);
      return {
        wsUrl: wsUrls[0] as string,
        wsUrls,
        publishUrl: `${http}${publishPath}`,
        ...(publishesInProcess && { inProcessUrl: `${http}/_publish-in-process` }),
        statsUrl: `${http}/_stats`,
        healthUrl: `${http}/health`,
      };
    },
  };
}

/** The flags, `--flag=value`, from which a program reads these values of a schema again. */
export function optionFlags(schema: z.ZodObject, values: Readonly<Record<string, unknown>>): string[] {
  return optionsOf(schema).flatMap(({ key, flag, kind, unit }) => {
    const value = values[key];
    if (value === undefined) return [];
    if (kind === 'boolean') return [value === true ? `--${flag}` : `--no-${flag}`];
    if (kind === 'list') return (value as string[]).map((each) => `--${flag}=${each}`);
    return [`--${flag}=${unit === undefined ? value : units[unit].print(value as number)}`];
  });
}
