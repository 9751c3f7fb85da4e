import type { Server } from 'socket.io';
import type { SocketioGame } from '../game/socketio.js';
import type { Service } from '../routes.js';
import { serveEvents } from './events.js';

/** Serves the clients of a server, and gives its HTTP side what to answer. A game needs all players in one process. */
export function socketioService(io: Server, stats: Service['stats'], game?: SocketioGame): Service {
  io.on('connection', (socket) => serveEvents(socket, game));
  return {
    publish: ({ stream, value }) => void io.to(stream).emit('message', value),
    stats,
    ...(game && { matchmake: () => game.matchmake() }),
  };
}
