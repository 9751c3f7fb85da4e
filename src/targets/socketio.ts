import { managedServer } from './launch/managed-server.js';

const server = {
  protocol: 'socketio',
  folder: 'socketio',
  wsPath: '/socket.io/?EIO=4&transport=websocket',
  publishesInProcess: true,
} as const;

/** Socket.IO 4 with its defaults, a room per stream. */
export const socketio = managedServer({ ...server, name: 'socketio', summary: 'Socket.IO 4 on node:http' });

/** The same with connection state recovery, in memory. */
export const socketioCsr = managedServer({
  ...server,
  name: 'socketio-csr',
  summary: 'Socket.IO 4 with in-memory connection state recovery',
  flags: ['--csr'],
});
