import { ownServer } from './launch/own-server.js';

/** Socket.IO 4 with connection state recovery, in memory. */
export const socketioCsr = ownServer({
  name: 'socketio-csr',
  summary: 'Socket.IO 4 with in-memory connection state recovery',
  protocol: 'socketio',
  folder: 'socketio',
  flags: ['--csr'],
  wsPath: '/socket.io/?EIO=4&transport=websocket',
  publishesInProcess: true,
  hint: 'Install the dependencies: npm ci.',
});
