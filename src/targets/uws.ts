import { ownServer } from './launch/own-server.js';

/** uWebSockets.js with its topics, on its own HTTP server. */
export const uws = ownServer({
  name: 'uws',
  summary: 'uWebSockets.js topics',
  protocol: 'ws-json',
  folder: 'uws',
  wsPath: '/ws',
  publishesInProcess: true,
  maxProcesses: 64,
  canRevive: true,
  hint: 'It is an optional dependency with a binary for each platform: run npm ci with Node 20 or 22, without --omit=optional.',
});
