import { Server, type ServerOptions, type Socket } from 'socket.io';
import { runServer } from '../foreground.js';
import { SocketioGame } from '../game/socketio.js';
import { httpSide, listen } from '../http-side.js';
import { packageVersion, statsReader } from '../stats.js';

await runServer(
  'socketio',
  ({ flags }) => {
    // An empty object switches recovery on with the library's defaults, in memory.
    const settings: Partial<ServerOptions> = flags.has('csr') ? { connectionStateRecovery: {} } : {};
    const version = packageVersion('socket.io');
    const stats = statsReader({
      versions: { 'socket.io': version },
      settings,
      connections: () => io.engine.clientsCount,
    });
    const http = httpSide({
      publish: ({ stream, value }) => io.to(stream).emit('message', value),
      stats,
      matchmake: () => game.matchmake(),
    });
    // A copy: the library writes its defaults into what it is given.
    const io = new Server(http, { ...settings });
    const game = new SocketioGame(io);
    io.on('connection', (socket) => serve(socket, game));
    return {
      version,
      listen: (host, port) => listen(http, host, port),
      async close() {
        game.close();
        const closed = io.close();
        http.closeAllConnections();
        await closed;
      },
    };
  },
  { flags: ['csr'] },
);

function serve(socket: Socket, game: SocketioGame): void {
  game.serve(socket);
  socket.on('join', (stream: unknown, ack: unknown) => {
    if (!isStream(stream)) return;
    const isSeat = game.join(socket, stream, (...state) => acknowledge(ack, ...state));
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

/** Calls back a client that asked for it; one that did not sends no function. */
function acknowledge(ack: unknown, ...answer: unknown[]): void {
  if (typeof ack === 'function') ack(...answer);
}
