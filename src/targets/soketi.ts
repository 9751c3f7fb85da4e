import { authority } from './launch/address.js';
import { targetEnvironment } from './launch/child.js';
import { installedVersion } from './launch/installed-version.js';
import { lackOf } from './needs/lack.js';
import { soketi as need, soketiIn } from './needs/list.js';
import { folderOf } from './needs/place.js';
import { pusherApp } from './pusher-app.js';
import type { Target } from './target.js';

/** Every setting that differs from Soketi's defaults: clients may whisper. */
const environment = { SOKETI_DEFAULT_APP_ENABLE_CLIENT_MESSAGES: 'true' };

/** Soketi with its defaults and its own app, run by this Node. Its metrics stay off, as they cost work per delivery. */
export const soketi: Target = {
  name: 'soketi',
  summary: 'Soketi 1.6 with its in-memory adapter',
  protocol: 'pusher',
  settings: { 'uWebSockets.js': '20.51.4 (@uwsjs/core), not 20.10.0', ...environment },
  needs: [need],
  maxProcesses: 1,
  isApart: true,
  async availability() {
    const lack = lackOf([need]);
    if (lack) return { isAvailable: false, ...lack };
    return installedVersion(process.execPath, [program()], targetEnvironment(), 'Install it again: ringside install.');
  },
  start: ({ host, port }) => ({
    command: process.execPath,
    args: [program(), 'start'],
    env: {
      ...environment,
      SOKETI_HOST: host,
      SOKETI_PORT: String(port),
      // Even without metrics it listens there. On a fixed port, several at once would share it.
      SOKETI_METRICS_HOST: host,
      SOKETI_METRICS_SERVER_PORT: '0',
    },
  }),
  endpoints(address) {
    const http = `http://${authority(address)}`;
    const wsUrl = `ws://${authority(address)}${pusherApp.wsPath}`;
    return { wsUrl, wsUrls: [wsUrl], publishUrl: `${http}${pusherApp.publishPath}`, healthUrl: `${http}/ready` };
  },
};

function program(): string {
  return soketiIn(folderOf(need));
}
