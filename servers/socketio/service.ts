import type { Server } from 'socket.io';
import { SocketioGame } from '../game/socketio.js';
import type { Service } from '../routes.js';
import { serveEvents } from './events.js';

/** Serves the clients of a server, the typing game with them, and gives what its HTTP side answers with. */
export function socketioService(io: Server, stats: Service['stats']): Service {
  const game = new SocketioGame(io);
  io.on('connection', (socket) => serveEvents(socket, game));
  return {
    publish: ({ stream, value }) => void io.to(stream).emit('message', value),
    stats,
    matchmake: () => game.matchmake(),
  };
}
