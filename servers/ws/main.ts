import { runServer } from '../foreground.js';
import { httpSide, listen, shut } from '../http-side.js';
import { packageVersion, statsReader } from '../stats.js';
import { EndpointsByPath, Streams, shootoutCableEndpoint, shootoutEndpoint, wsJsonEndpoint } from './endpoints.js';
import { overHttp2 } from './http2.js';

await runServer(
  'ws',
  ({ flags, values }) => {
    // The library would leave messages below 1 KiB as they are.
    const settings = values.compression === 'on' ? { perMessageDeflate: { threshold: 0 } } : {};
    const streams = new Streams();
    const version = packageVersion('ws');
    const stats = statsReader({ versions: { ws: version }, settings, connections: () => endpoints.count });
    const http = httpSide({ publish: ({ stream, data }) => void streams.send(stream, Buffer.from(data)), stats });
    const all = [wsJsonEndpoint(streams), shootoutEndpoint(), shootoutCableEndpoint()];
    const endpoints = new EndpointsByPath(http, all, settings);
    if (flags.has('http2')) overHttp2(http, (path) => endpoints.at(path));
    return {
      version,
      listen: (host, port) => listen(http, host, port),
      close: () => shut(http, () => endpoints.close()),
    };
  },
  { flags: ['http2'], valued: ['compression'] },
);
