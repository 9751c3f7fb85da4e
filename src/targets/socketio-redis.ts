import { managedServer } from './launch/managed-server.js';
import { redis } from './needs/list.js';
import type { Target } from './target.js';

/** How Socket.IO is spoken and where. */
export const socketio = { protocol: 'socketio', wsPath: '/socket.io/?EIO=4&transport=websocket' };

const server = {
  ...socketio,
  folder: 'socketio-redis',
  publishesInProcess: true,
  packages: redis,
  minProcesses: 2,
  maxProcesses: 64,
  canRevive: true,
  // The typing game has all players in one process.
  lacks: ['type'],
} as const;

/** Socket.IO whose processes tell each other through Redis, and keep nothing there. */
export const socketioRedis: Target = managedServer({
  ...server,
  name: 'socketio-redis',
  summary: 'Socket.IO 4, several processes over Redis Pub/Sub',
});

/** The same with sessions and broadcasts in Redis, so that clients recover at any process. */
export const socketioRedisStreams: Target = managedServer({
  ...server,
  name: 'socketio-redis-streams',
  summary: 'Socket.IO 4, several processes over Redis Streams, with connection state recovery',
  flags: ['--streams'],
});
