import { join } from 'node:path';
import { foreignServer } from '../launch/managed-server.js';
import { socketioxide as need } from '../needs/list.js';
import { folderOf } from '../needs/place.js';

/** Socket.IO in Rust. */
export const socketioxide = foreignServer({
  name: 'socketioxide',
  summary: 'socketioxide 0.18 on axum: Socket.IO in Rust',
  protocol: 'socketio',
  // The typing game is in JavaScript.
  lacks: ['type'],
  wsPath: '/socket.io/?EIO=4&transport=websocket',
  needs: [need],
  command: () => [join(folderOf(need), 'bin/socketioxide')],
});
