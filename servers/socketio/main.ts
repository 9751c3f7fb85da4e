import { Server, type ServerOptions } from 'socket.io';
import { runServer } from '../foreground.js';
import { SocketioGame } from '../game/game.js';
import { httpSide, listen } from '../http-side.js';
import { packageVersion, statsReader } from '../stats.js';
import { socketioService } from './service.js';

await runServer(
  'socketio',
  ({ flags }) => {
    // An empty object enables recovery in memory, with the library's defaults.
    const settings: Partial<ServerOptions> = flags.has('csr') ? { connectionStateRecovery: {} } : {};
    const version = packageVersion('socket.io');
    // This is a copy, because the library writes its defaults into the object it gets.
    const io = new Server({ ...settings });
    const connections = (): number => io.engine.clientsCount;
    const stats = statsReader({ versions: { 'socket.io': version }, settings, connections });
    const http = httpSide(socketioService(io, stats, new SocketioGame(io)));
    io.attach(http);
    return {
      version,
      listen: (host, port) => listen(http, host, port),
      async close() {
        const closed = io.close();
        http.closeAllConnections();
        await closed;
      },
    };
  },
  { flags: ['csr'] },
);
