import { Server, type ServerOptions } from 'socket.io';
import { runServer } from '../foreground.js';
import { SocketioGame } from '../game/socketio.js';
import { httpSide, listen } from '../http-side.js';
import { packageVersion, statsReader } from '../stats.js';
import { serveEvents } from './events.js';

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
    io.on('connection', (socket) => serveEvents(socket, game));
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
