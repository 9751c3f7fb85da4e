import { authority } from './launch/address.js';
import { targetEnvironment } from './launch/child.js';
import { installedVersion } from './launch/installed-version.js';
import { lackOf } from './needs/lack.js';
import { soketi as need, soketiIn } from './needs/list.js';
import { folderOf } from './needs/place.js';
import type { Target } from './target.js';

/** The application that Soketi has by default. */
const application = { id: 'app-id', key: 'app-key' };

/** Soketi with its defaults, run by this Node. */
export const soketi: Target = {
  name: 'soketi',
  summary: 'Soketi 1.6 with its in-memory adapter',
  protocol: 'pusher',
  settings: { 'uWebSockets.js': '20.51.4 (@uwsjs/core), not 20.10.0' },
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
    env: { SOKETI_HOST: host, SOKETI_PORT: String(port) },
  }),
  endpoints(address) {
    const http = `http://${authority(address)}`;
    const wsUrl = `ws://${authority(address)}/app/${application.key}?protocol=7`;
    return { wsUrl, wsUrls: [wsUrl], publishUrl: `${http}/apps/${application.id}/events`, healthUrl: `${http}/ready` };
  },
};

function program(): string {
  return soketiIn(folderOf(need));
}
