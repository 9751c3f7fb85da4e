import { Server } from 'socket.io';
import { runServer, type TargetServer } from '../foreground.js';
import { SocketioGame } from '../game/game.js';
import { socketioService } from '../socketio/service.js';
import { packageVersion, statsReader } from '../stats.js';
import { listenAlone, listenSettings, loadUws, serveHttp, type UwsLibrary } from '../uws/library.js';

await runServer('socketio-uws', ({ values }) => build(loadUws('socketio-uws', values.packages)), {
  valued: ['packages'],
});

function build(library: UwsLibrary): TargetServer {
  const app = library.uws.App();
  const io = new Server();
  io.attachApp(app);
  const versions = { 'socket.io': packageVersion('socket.io'), 'uWebSockets.js': library.version };
  const stats = statsReader({ versions, settings: listenSettings, connections: () => io.engine.clientsCount });
  serveHttp(app, socketioService(io, stats, new SocketioGame(io)));
  return {
    version: `${versions['socket.io']} on uWebSockets.js ${library.version}`,
    listen: async (host, port) => [await listenAlone(library, app, host, port)],
    async close() {
      await io.close();
      app.close();
    },
  };
}
