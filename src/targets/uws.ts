import { managedServer } from './launch/managed-server.js';

const server = {
  folder: 'uws',
  maxProcesses: 64,
  hint: 'This optional dependency has a binary per platform: run npm ci with Node 20 or 22, without --omit=optional.',
};

/** uWebSockets.js with its topics, on its own HTTP server. */
export const uws = managedServer({
  ...server,
  name: 'uws',
  summary: 'uWebSockets.js topics',
  protocol: 'ws-json',
  wsPath: '/ws',
  publishesInProcess: true,
  canRevive: true,
});

/** The same server, at its endpoint for the messages of websocket-shootout. */
export const uwsShootout = managedServer({
  ...server,
  name: 'uws-shootout',
  summary: 'uWebSockets.js topics, the messages of websocket-shootout',
  protocol: 'shootout',
  wsPath: '/shootout',
});
