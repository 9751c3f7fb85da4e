import uws from 'uWebSockets.js';
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { broadcastBooks, latencyFlags, soundResult } from '../../test/latency.js';
import { workplace } from '../../test/workplace.js';
import { enginesTogether } from '../contract/engine.js';

const place = workplace();
const [subscribers, broadcasts] = [7, 31];
const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

type Publish = (stream: string, data: unknown) => void;
const subscribed = (text: string): { stream: string; answer: string } => {
  const { stream } = JSON.parse(text) as { stream: string };
  return { stream, answer: JSON.stringify({ type: 'subscribed', stream }) };
};
const message = (stream: string, data: unknown): string => JSON.stringify({ type: 'message', stream, data });

async function bodyOf(request: IncomingMessage): Promise<{ stream: string; data: unknown }> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function served(begin: (http: HttpServer) => Publish): Promise<number> {
  let publish: Publish = () => undefined;
  const posted: RequestListener = async (request, response) => {
    if (request.method !== 'POST' || !request.url?.startsWith('/_broadcast')) return;
    const { stream, data } = await bodyOf(request);
    publish(stream, data);
    response.writeHead(201).end();
  };
  const http = createServer(posted);
  publish = begin(http);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  ended.push(() => {
    http.close();
    http.closeAllConnections();
  });
  return (http.address() as AddressInfo).port;
}

const servers: Record<string, () => Promise<number>> = {
  ws: () =>
    served((http) => {
      const server = new WebSocketServer({
        server: http,
        perMessageDeflate: { threshold: 0, serverMaxWindowBits: 10 },
      });
      ended.push(() => {
        for (const client of server.clients) client.terminate();
      });
      server.on('connection', (socket) => socket.on('message', (text) => socket.send(subscribed(String(text)).answer)));
      return (stream, data) => {
        for (const client of server.clients) client.send(message(stream, data));
      };
    }),
  'Socket.IO': () =>
    served((http) => {
      const io = new Server(http, { perMessageDeflate: { threshold: 0 } });
      ended.push(() => io.close());
      io.on('connection', (socket) =>
        socket.on('join', (stream: string, ack: () => void) => void Promise.resolve(socket.join(stream)).then(ack)),
      );
      return (stream, data) => void io.to(stream).emit('message', data);
    }),
  uWebSockets: () =>
    new Promise((resolve) => {
      const app = uws.App();
      app.ws('/*', {
        compression: uws.DEDICATED_COMPRESSOR_8KB,
        message: (socket, bytes) => {
          const { stream, answer } = subscribed(Buffer.from(bytes).toString());
          socket.subscribe(stream);
          socket.send(answer, false, true);
        },
      });
      app.post('/_broadcast', (response) => {
        let body = '';
        response.onAborted(() => undefined);
        response.onData((part, isLast) => {
          body += Buffer.from(part).toString();
          if (!isLast) return;
          const { stream, data } = JSON.parse(body) as { stream: string; data: unknown };
          app.publish(stream, message(stream, data), false, true);
          response.writeStatus('201 Created').end();
        });
      });
      app.listen('127.0.0.1', 0, (socket) => {
        ended.push(() => app.close());
        resolve(uws.us_socket_local_port(socket as uws.us_listen_socket));
      });
    }),
};

describe.each(Object.keys(servers))('clients of %s', (name) => {
  it.each(['native', 'js'])('get all of it compressed, by the %s engine', async (engine) => {
    const port = await servers[name]!();
    const at = `127.0.0.1:${port}`;
    const target = name === 'Socket.IO' ? ['--protocol', 'socketio'] : ['--protocol', 'ws-json'];
    const urls = [
      '--target-url',
      `ws://${at}${name === 'Socket.IO' ? '' : '/ws'}`,
      '--publish-url',
      `http://${at}/_broadcast`,
    ];
    const flags = ['--compression', 'require', '--engine', engine, ...latencyFlags(subscribers, broadcasts)];
    const result = soundResult(await place.measure(['run', 'latency', ...target, ...urls, ...flags]));
    const owed = subscribers * broadcasts;
    expect(broadcastBooks(result)).toMatchObject({ acked: broadcasts, expected: owed, delivered: owed });
    const [use] = enginesTogether(result.shards.flatMap((shard) => shard.result?.rig.engines ?? []));
    expect(use).toMatchObject({ name: engine, compressedClients: subscribers, handedOver: owed + 3 * subscribers });
    expect(use?.deflatedBytes).toBeLessThan(use?.inflatedBytes ?? 0);
  });
});

it('a target that does not choose it has no client that requires it, by a cause', async () => {
  const port = await served((http) => {
    new WebSocketServer({ server: http });
    return () => undefined;
  });
  const urls = ['--target-url', `ws://127.0.0.1:${port}/ws`, '--publish-url', `http://127.0.0.1:${port}/_broadcast`];
  const flags = ['--compression', 'require', ...latencyFlags(subscribers, broadcasts)];
  const done = await place.measure(['run', 'latency', '--protocol', 'ws-json', ...urls, ...flags]);
  expect(done.code).toBe(4);
  expect(done.stdout + done.stderr).toContain('bad-upgrade:no compression');
});
