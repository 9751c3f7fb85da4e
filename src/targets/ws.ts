import { ownServer } from './launch/own-server.js';

/** `ws` on `node:http`: the bare WebSocket library of Node, with a set of subscribers for each stream. */
export const ws = ownServer({
  name: 'ws',
  summary: 'ws 8 on node:http',
  protocol: 'ws-json',
  folder: 'ws',
  wsPath: '/ws',
  publishesInProcess: true,
  hint: 'Install the dependencies: npm ci.',
});
