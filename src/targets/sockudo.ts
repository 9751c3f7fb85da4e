import { join } from 'node:path';
import { sockudo as need } from './needs/list.js';
import { folderOf } from './needs/place.js';
import { pusherApp } from './pusher-app.js';
import { pusherServer } from './pusher-server.js';

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
export const sockudo = pusherServer({
  name: 'sockudo',
  summary: 'Sockudo 5.2 with its in-memory adapter, in Rust',
  settings,
  need,
  command: () => [join(folderOf(need), 'bin/sockudo')],
  // Its metrics would listen on a fixed port of all addresses.
  environment: ({ host, port }) => ({
    ...{ ...settings, ...app },
    ...{ HOST: host, PORT: String(port), METRICS_HOST: host, METRICS_PORT: '0' },
  }),
});
