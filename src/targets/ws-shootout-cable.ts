import { ownServer } from './launch/own-server.js';

/** The server of `ws`, at the endpoint that speaks the messages of websocket-shootout over Action Cable. */
export const wsShootoutCable = ownServer({
  name: 'ws-shootout-cable',
  summary: 'ws 8 on node:http, websocket-shootout over Action Cable',
  protocol: 'shootout-cable',
  folder: 'ws',
  wsPath: '/cable',
  hint: 'Install the dependencies: npm ci.',
});
