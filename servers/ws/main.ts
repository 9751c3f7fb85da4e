import { promisify } from 'node:util';
import { runServer } from '../foreground.js';
import { httpSide, listen } from '../http-side.js';
import { packageVersion } from '../package-version.js';
import { statsReader } from '../stats.js';
import { Endpoints } from './endpoint.js';
import { shootoutCableEndpoint, shootoutEndpoint } from './shootout.js';
import { Streams } from './streams.js';
import { wsJsonEndpoint } from './ws-json.js';

await runServer('ws', () => {
  const streams = new Streams();
  const version = packageVersion('ws');
  const stats = statsReader({ versions: { ws: version }, settings: {}, connections: () => endpoints.count });
  const http = httpSide({ publish: ({ stream, data }) => void streams.send(stream, Buffer.from(data)), stats });
  const endpoints = new Endpoints(http, [wsJsonEndpoint(streams), shootoutEndpoint(), shootoutCableEndpoint()]);
  return {
    version,
    listen: (host, port) => listen(http, host, port),
    async close() {
      const closed = promisify(http.close.bind(http))();
      endpoints.close();
      http.closeAllConnections();
      await closed;
    },
  };
});
