import { runServer } from '../foreground.js';
import { httpSide, listen, shut } from '../http-side.js';
import { packageVersion, statsReader } from '../stats.js';
import { EndpointsByPath, Streams, shootoutCableEndpoint, shootoutEndpoint, wsJsonEndpoint } from './endpoints.js';

await runServer('ws', () => {
  const streams = new Streams();
  const version = packageVersion('ws');
  const stats = statsReader({ versions: { ws: version }, settings: {}, connections: () => endpoints.count });
  const http = httpSide({ publish: ({ stream, data }) => void streams.send(stream, Buffer.from(data)), stats });
  const endpoints = new EndpointsByPath(http, [wsJsonEndpoint(streams), shootoutEndpoint(), shootoutCableEndpoint()]);
  return {
    version,
    listen: (host, port) => listen(http, host, port),
    close: () => shut(http, () => endpoints.close()),
  };
});
