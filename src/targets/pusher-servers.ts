import { join } from 'node:path';
import { targetEnvironment } from './launch/child.js';
import { namedVersion } from './launch/programs.js';
import { authority } from './launch/readiness.js';
import { sockudoNeed, soketiIn, soketiNeed } from './needs/list.js';
import { type FilledNeed, folderOf, lackOf } from './needs/need.js';
import type { Address, Target } from './target.js';

/** The app of the Pusher servers here, which the options of the protocol name by default, and its paths. */
export const pusherApp = {
  id: 'app-id',
  key: 'app-key',
  secret: 'app-secret',
  wsPath: '/app/app-key?protocol=7',
  publishPath: '/apps/app-id/events',
} as const;

/** Every setting that differs from Soketi's defaults: clients may whisper. */
const soketiSettings = { SOKETI_DEFAULT_APP_ENABLE_CLIENT_MESSAGES: 'true' };

/** Soketi with its defaults and its own app, run by this Node. Its metrics stay off, as they cost work per delivery. */
export const soketi = pusherServer({
  name: 'soketi',
  summary: 'Soketi 1.6 with its in-memory adapter',
  settings: { 'uWebSockets.js': '20.51.4 (@uwsjs/core), not 20.10.0', ...soketiSettings },
  need: soketiNeed,
  command: () => [process.execPath, soketiIn(folderOf(soketiNeed))],
  startArgs: ['start'],
  environment: ({ host, port }) => ({
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

/** It has no app of its own. */
const sockudoApp = {
  SOCKUDO_DEFAULT_APP_ID: pusherApp.id,
  SOCKUDO_DEFAULT_APP_KEY: pusherApp.key,
  SOCKUDO_DEFAULT_APP_SECRET: pusherApp.secret,
};

/** Sockudo with its in-memory adapter, as Cargo builds it. */
export const sockudo = pusherServer({
  name: 'sockudo',
  summary: 'Sockudo 5.2 with its in-memory adapter, in Rust',
  settings: sockudoSettings,
  need: sockudoNeed,
  command: () => [join(folderOf(sockudoNeed), 'bin/sockudo')],
  // Its metrics would listen on a fixed port of all addresses.
  environment: ({ host, port }) => ({
    ...sockudoSettings,
    ...sockudoApp,
    HOST: host,
    PORT: String(port),
    METRICS_HOST: host,
    METRICS_PORT: '0',
  }),
});

interface PusherServer extends Pick<Target, 'name' | 'summary' | 'settings'> {
  need: FilledNeed;
  /** Returns the program, to which `--version` and `startArgs` are added. */
  command(): readonly [string, ...string[]];
  startArgs?: readonly string[];
  environment(address: Pick<Address, 'host' | 'port'>): Record<string, string>;
}

/** Returns an installed server of the Pusher protocol with the app of `pusherApp`, as a target of one process. */
export function pusherServer({ need, command, startArgs = [], environment, ...own }: PusherServer): Target {
  return {
    ...own,
    protocol: 'pusher',
    needs: [need],
    maxProcesses: 1,
    isApart: true,
    async availability() {
      const lack = lackOf([need]);
      if (lack) return { isAvailable: false, ...lack };
      const [program, ...args] = command();
      return namedVersion(
        program,
        [...args, '--version'],
        targetEnvironment(),
        `Install it again: ringside install ${need.name}.`,
      );
    },
    start({ host, port }) {
      const [program, ...args] = command();
      return { command: program, args: [...args, ...startArgs], env: environment({ host, port }) };
    },
    endpoints(address) {
      const http = `http://${authority(address)}`;
      const wsUrl = `ws://${authority(address)}${pusherApp.wsPath}`;
      return { wsUrl, wsUrls: [wsUrl], publishUrl: `${http}${pusherApp.publishPath}`, healthUrl: `${http}/ready` };
    },
  };
}
