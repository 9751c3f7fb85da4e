import { portPlaceholder } from '../units/addresses.js';
import type { Endpoints, Target } from './target.js';

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
