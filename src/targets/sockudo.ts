import { join } from 'node:path';
import { authority } from './launch/address.js';
import { targetEnvironment } from './launch/child.js';
import { installedVersion } from './launch/installed-version.js';
import { lackOf } from './needs/lack.js';
import { sockudo as need } from './needs/list.js';
import { folderOf } from './needs/place.js';
import { pusherApp } from './pusher-app.js';
import type { Target } from './target.js';

/** Every setting that differs from Sockudo's defaults: no rate limits, 100,000 connections and not 100, whispers. */
const settings = {
  RATE_LIMITER_ENABLED: 'false',
  SOCKUDO_DEFAULT_APP_MAX_CONNECTIONS: '100000',
  SOCKUDO_DEFAULT_APP_ENABLE_CLIENT_MESSAGES: 'true',
};

/** It has no app of its own. */
const app = {
  SOCKUDO_DEFAULT_APP_ID: pusherApp.id,
  SOCKUDO_DEFAULT_APP_KEY: pusherApp.key,
  SOCKUDO_DEFAULT_APP_SECRET: pusherApp.secret,
};

/** Sockudo with its in-memory adapter, as Cargo builds it. */
export const sockudo: Target = {
  name: 'sockudo',
  summary: 'Sockudo 5.2 with its in-memory adapter, in Rust',
  protocol: 'pusher',
  settings,
  needs: [need],
  maxProcesses: 1,
  isApart: true,
  async availability() {
    const lack = lackOf([need]);
    if (lack) return { isAvailable: false, ...lack };
    return installedVersion(program(), [], targetEnvironment(), 'Install it again: ringside install sockudo.');
  },
  start: ({ host, port }) => ({
    command: program(),
    args: [],
    // Its metrics would listen on a fixed port of all addresses.
    env: { ...settings, ...app, HOST: host, PORT: String(port), METRICS_HOST: host, METRICS_PORT: '0' },
  }),
  endpoints(address) {
    const http = `http://${authority(address)}`;
    const wsUrl = `ws://${authority(address)}${pusherApp.wsPath}`;
    return { wsUrl, wsUrls: [wsUrl], publishUrl: `${http}${pusherApp.publishPath}`, healthUrl: `${http}/ready` };
  },
};

function program(): string {
  return join(folderOf(need), 'bin/sockudo');
}
