import type { Server, Socket } from 'socket.io';
import type { SocketioGame } from '../game/game.js';
import type { Service } from '../routes.js';

/** Serves the clients of a server and answers its HTTP side. A game needs all players in one process. */
export function socketioService(io: Server, stats: Service['stats'], game?: SocketioGame): Service {
  io.on('connection', (socket) => serveEvents(socket, game));
  return {
    publish: ({ stream, value }) => void io.to(stream).emit('message', value),
    stats,
    ...(game && { matchmake: () => game.matchmake() }),
  };
}

/** Serves one connection of the protocol `socketio`. A stream is a room, or a place in the game if there is one. */
export function serveEvents(socket: Socket, game?: SocketioGame): void {
  game?.serve(socket);
  socket.on('join', (stream: unknown, ack: unknown) => {
    if (!isStream(stream)) return;
    const isSeat = game?.join(socket, stream, (...state) => acknowledge(ack, ...state)) ?? false;
    if (!isSeat) void Promise.resolve(socket.join(stream)).then(() => acknowledge(ack));
  });
  socket.on('leave', (stream: unknown) => {
    if (isStream(stream)) void socket.leave(stream);
  });
  socket.on('echo', (payload: unknown, ack: unknown) => acknowledge(ack, payload));
  socket.on('whisper', (stream: unknown, payload: unknown) => {
    if (isStream(stream)) socket.to(stream).emit('message', payload);
  });
}

function isStream(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Calls back a client that asked for an acknowledgement. Other clients send no function. */
function acknowledge(ack: unknown, ...answer: unknown[]): void {
  if (typeof ack === 'function') ack(...answer);
}
