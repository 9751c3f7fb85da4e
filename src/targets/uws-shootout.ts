import { ownServer } from './launch/own-server.js';

/** The server of `uws`, at the endpoint that speaks the messages of websocket-shootout. */
export const uwsShootout = ownServer({
  name: 'uws-shootout',
  summary: 'uWebSockets.js topics, the messages of websocket-shootout',
  protocol: 'shootout',
  folder: 'uws',
  wsPath: '/shootout',
  maxProcesses: 64,
  hint: 'It is an optional dependency with a binary for each platform: run npm ci with Node 20 or 22, without --omit=optional.',
});
