import { runServer, type TargetServer } from '../foreground.js';
import { httpSide, listen, shut } from '../http-side.js';
import { packageVersion, statsReader } from '../stats.js';
import { EndpointsByPath, Streams, shootoutCableEndpoint, shootoutEndpoint, wsJsonEndpoint } from './endpoints.js';

const build = ({ values: { compression } }: { values: Readonly<Record<string, string>> }): TargetServer => {
  // The library would leave messages below 1 KiB as they are.
  const settings = compression === 'on' ? { perMessageDeflate: { threshold: 0 } } : {};
  const streams = new Streams();
  const version = packageVersion('ws');
  const stats = statsReader({ versions: { ws: version }, settings, connections: () => endpoints.count });
  const http = httpSide({ publish: ({ stream, data }) => void streams.send(stream, Buffer.from(data)), stats });
  const all = [wsJsonEndpoint(streams), shootoutEndpoint(), shootoutCableEndpoint()];
  const endpoints = new EndpointsByPath(http, all, settings);
  return {
    version,
    listen: (host, port) => listen(http, host, port),
    close: () => shut(http, () => endpoints.close()),
  };
};

await runServer('ws', build, { valued: ['compression'] });
