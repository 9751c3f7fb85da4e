import { managedServer } from './launch/managed-server.js';

/** `ws` on `node:http`: the bare WebSocket library of Node, with a set of subscribers per stream. */
export const ws = managedServer({
  folder: 'ws',
  name: 'ws',
  summary: 'ws 8 on node:http',
  protocol: 'ws-json',
  wsPath: '/ws',
  publishesInProcess: true,
});

/** The same server, at its endpoint for the messages of websocket-shootout. */
export const wsShootout = managedServer({
  folder: 'ws',
  name: 'ws-shootout',
  summary: 'ws 8 on node:http, the messages of websocket-shootout',
  protocol: 'shootout',
  wsPath: '/shootout',
});

/** The same server, at its endpoint for the messages of websocket-shootout over Action Cable. */
export const wsShootoutCable = managedServer({
  folder: 'ws',
  name: 'ws-shootout-cable',
  summary: 'ws 8 on node:http, websocket-shootout over Action Cable',
  protocol: 'shootout-cable',
  wsPath: '/cable',
});
