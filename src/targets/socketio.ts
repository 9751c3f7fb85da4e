import { ownServer } from './launch/own-server.js';

/** Socket.IO 4 with its defaults, a room for each stream. */
export const socketio = ownServer({
  name: 'socketio',
  summary: 'Socket.IO 4 on node:http',
  protocol: 'socketio',
  folder: 'socketio',
  wsPath: '/socket.io/?EIO=4&transport=websocket',
  publishesInProcess: true,
  hint: 'Install the dependencies: npm ci.',
});
