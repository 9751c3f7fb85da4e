import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { optionsOf } from '../../options/option.js';
import { units } from '../../units/list.js';
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
  /** Where it takes publishes as its protocol makes them; by default `/_broadcast`. */
  publishPath?: string;
}

/** A target of `servers/`, run by this Node. Its stats tell its settings. */
export function managedServer({
  folder,
  flags = [],
  wsPath,
  hint = 'Install the dependencies: npm ci.',
  maxProcesses = 1,
  publishesInProcess,
  publishPath = '/_broadcast',
  ...own
}: ManagedServer): Target {
  const main = fileURLToPath(new URL(`../../../servers/${folder}/main.js`, import.meta.url));
  return {
    ...own,
    settings: {},
    maxProcesses,
    async availability() {
      if (!existsSync(main))
        return { isAvailable: false, why: `${main} is not there`, hint: 'Build it first: npm run build.' };
      return installedVersion(process.execPath, [main], targetEnvironment(), hint);
    },
    start: ({ host, port }, { processes = 1, furtherPorts = [], reviveAfterMs, options = {} } = {}) => ({
      command: process.execPath,
      args: [
        ...[main, '--host', host, '--port', String(port)],
        ...(processes === 1 ? [] : ['--processes', String(processes)]),
        ...(furtherPorts.length === 0 ? [] : ['--further-ports', furtherPorts.join(',')]),
        ...(reviveAfterMs === undefined ? [] : ['--revive', String(reviveAfterMs)]),
        ...flags,
        ...(own.options === undefined ? [] : optionFlags(own.options, options)),
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
