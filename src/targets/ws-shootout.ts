import { ownServer } from './launch/own-server.js';

/** The server of `ws`, at the endpoint that speaks the messages of websocket-shootout. */
export const wsShootout = ownServer({
  name: 'ws-shootout',
  summary: 'ws 8 on node:http, the messages of websocket-shootout',
  protocol: 'shootout',
  folder: 'ws',
  wsPath: '/shootout',
  hint: 'Install the dependencies: npm ci.',
});
