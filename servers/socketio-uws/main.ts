import { Server } from 'socket.io';
import { runServer } from '../foreground.js';
import { serveEvents } from '../socketio/events.js';
import { packageVersion, statsReader } from '../stats.js';
import { serveHttp } from '../uws/http.js';
import { listenAlone, listenSettings, loadLibrary } from '../uws/library.js';

await runServer('socketio-uws', async () => {
  const library = await loadLibrary('socketio-uws');
  const app = library.App();
  const io = new Server();
  io.attachApp(app);
  io.on('connection', serveEvents);
  const versions = { 'socket.io': packageVersion('socket.io'), 'uWebSockets.js': packageVersion('uWebSockets.js') };
  const stats = statsReader({ versions, settings: listenSettings, connections: () => io.engine.clientsCount });
  serveHttp(app, { publish: ({ stream, value }) => io.to(stream).emit('message', value), stats });
  return {
    version: `${versions['socket.io']} on uWebSockets.js ${versions['uWebSockets.js']}`,
    listen: async (host, port) => [await listenAlone(library, app, host, port)],
    async close() {
      await io.close();
      app.close();
    },
  };
});
