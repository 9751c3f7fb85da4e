import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { optionsOf } from '../../options/option.js';
import { portPlaceholder } from '../../units/addresses.js';
import { packageFile } from '../../units/package-files.js';
import { units } from '../../units/unit.js';
import type { Runtime } from '../needs/list.js';
import { type FilledNeed, folderOf, type Lack, lackOf, type Need } from '../needs/need.js';
import type { Endpoints, Target } from '../target.js';
import { targetEnvironment } from './child.js';
import { namedVersion } from './programs.js';
import { authority } from './readiness.js';

/** Describes one target of `servers/`. */
interface AnyServer
  extends Pick<Target, 'name' | 'summary' | 'protocol' | 'lacks' | 'canRevive' | 'ports' | 'options' | 'isKnownTruth'> {
  flags?: readonly string[];
  wsPath: string;
  /** Above 1, the server takes `--processes`. */
  maxProcesses?: number;
  /** Number of processes by default, if that is not one. */
  minProcesses?: number;
  publishesInProcess?: true;
  /** Path that takes publishes in the form of its protocol. Default: `/_broadcast`. */
  publishPath?: string;
}

/** A server whose `main.js` runs on Node or on its own runtime. */
export interface ManagedServer extends AnyServer {
  folder: string;
  /** Advice if its library can't be loaded. */
  hint?: string;
  /** The runtime that it is made for, if that is not Node. */
  runtime?: Runtime;
  /** Its library is not the same on every runtime. `--packages` names the folder that has the runtime's. */
  takesPackages?: true;
  /** Its library is in this folder, whatever the runtime. `--packages` names it. */
  packages?: FilledNeed;
}

/** A server in another language. */
export interface ForeignServer extends AnyServer {
  needs: readonly Need[];
  command(): readonly [string, ...string[]];
}

/** Describes how the process of a server starts. `--host`, `--port`, `--version` and the rest follow. */
interface Program extends Pick<ForeignServer, 'needs' | 'command'> {
  /** Returns why it can't start, whatever is installed. */
  lack?(): Lack | undefined;
  /** Advice if it can't name its version. */
  hint: string;
}

/** Returns a target of `servers/`, run by this Node or by its runtime. */
export function managedServer(server: ManagedServer): Target {
  const target = targetOf(server, scriptOn(server.runtime, server));
  return server.runtime ? target : { ...target, on: (runtime) => targetOf(server, scriptOn(runtime, server)) };
}

/** Returns a target of `servers/` in another language, which keeps the same contract. */
export function foreignServer(server: ForeignServer): Target {
  const names = server.needs.map(({ name }) => name).join(' ');
  return targetOf(server, { ...server, hint: `Install it again: ringside install ${names}.` });
}

function scriptOn(runtime: Runtime | undefined, server: ManagedServer): Program {
  const { folder, hint, takesPackages, packages = takesPackages && runtime?.need } = server;
  const main = packageFile('dist/servers', folder, 'main.js');
  const needs = [...new Set([runtime?.need, packages].filter((need) => need !== undefined))];
  const names = needs.map(({ name }) => name).join(' ');
  return {
    needs,
    command: () => [
      ...([runtime?.program() ?? process.execPath, main] as const),
      ...(packages ? ['--packages', folderOf(packages)] : []),
    ],
    lack: () =>
      existsSync(main) ? undefined : { why: `${main} is not there`, hint: 'Build it first: npm run build.' },
    hint:
      names === ''
        ? (hint ?? 'Install the dependencies: npm ci.')
        : `Install it again, ringside install ${names}, or start it on a newer system.`,
  };
}

function targetOf(server: AnyServer, program: Program): Target {
  const { flags = [], wsPath, minProcesses = 1, maxProcesses = 1, publishPath = '/_broadcast' } = server;
  const { name, summary, protocol, lacks, canRevive, options: schema, isKnownTruth, publishesInProcess } = server;
  const { needs } = program;
  return {
    ...{ name, summary, protocol, settings: {}, maxProcesses, needs },
    ...(lacks && { lacks }),
    ...(minProcesses > 1 && { minProcesses }),
    ...(canRevive && { canRevive }),
    ...(server.ports && { ports: server.ports }),
    ...(schema && { options: schema }),
    ...(isKnownTruth && { isKnownTruth }),
    async availability() {
      const lack = program.lack?.() ?? lackOf(needs);
      if (lack) return { isAvailable: false, ...lack };
      const [command, ...args] = program.command();
      return namedVersion(command, [...args, '--version'], targetEnvironment(), program.hint);
    },
    start({ host, port }, { processes = minProcesses, furtherPorts = [], reviveAfterMs, options = {} } = {}) {
      const [command, ...args] = program.command();
      const address = ['--host', host, '--port', String(port)];
      const asked = [
        ...(processes === 1 ? [] : ['--processes', String(processes)]),
        ...(furtherPorts.length === 0 || server.ports === 'shared' ? [] : ['--further-ports', furtherPorts.join(',')]),
        ...(reviveAfterMs === undefined ? [] : ['--revive', String(reviveAfterMs)]),
        ...(schema === undefined ? [] : optionFlags(schema, options)),
      ];
      return { command, args: [...args, ...address, ...flags, ...asked], env: {} };
    },
    endpoints({ host, port, ports = [port] }) {
      const http = `http://${authority({ host, port })}`;
      const ofClients = server.ports === 'split' && ports.length > 1 ? ports.slice(1) : ports;
      const wsUrls = ofClients.map((each) => `ws://${authority({ host, port: each })}${wsPath}`);
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

/** Returns the flags, `--flag=value`, from which a program reads these values of a schema again. */
export function optionFlags(schema: z.ZodObject, values: Readonly<Record<string, unknown>>): string[] {
  return optionsOf(schema).flatMap(({ key, flag, kind, unit }) => {
    const value = values[key];
    if (value === undefined) return [];
    if (kind === 'boolean') return [value === true ? `--${flag}` : `--no-${flag}`];
    if (kind === 'list') return (value as string[]).map((each) => `--${flag}=${each}`);
    return [`--${flag}=${unit === undefined ? value : units[unit].print(value as number)}`];
  });
}

/** A server of the user's own: its start, and its addresses, with `{port}` in place of the port. */
export interface OwnServer extends Pick<Target, 'name' | 'protocol' | 'settings'> {
  /** Command for a shell. */
  command: string;
  directory: string;
  environment: Readonly<Record<string, string>>;
  urls: Omit<Endpoints, 'wsUrls' | 'healthUrl'> & { healthUrl?: string };
}

/** Returns the user's own server as a target. Without a `healthUrl`, it serves once its port takes connections. */
export function ownServer({ command, directory, environment, urls, ...own }: OwnServer): Target {
  return {
    ...own,
    summary: 'a server of your own',
    maxProcesses: 1,
    isBrought: true,
    availability: async () => ({ isAvailable: true, version: '' }),
    start({ port }) {
      const given = { PORT: portPlaceholder, ...environment };
      return {
        command: '/bin/sh',
        args: ['-c', withPort(command, port)],
        env: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withPort(value, port)])),
        directory,
      };
    },
    endpoints({ port }) {
      const at = Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, withPort(url, port)]));
      const { wsUrl, ...others } = at as OwnServer['urls'];
      const { hostname } = new URL(wsUrl);
      return { wsUrl, wsUrls: [wsUrl], healthUrl: `tcp://${hostname}:${port}`, ...others };
    },
  };
}

function withPort(text: string, port: number): string {
  return text.replaceAll(portPlaceholder, String(port));
}
