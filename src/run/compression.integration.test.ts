import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
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
const confirmationOf = (text: string): string => {
  const { stream } = JSON.parse(text) as { stream: string };
  return JSON.stringify({ type: 'subscribed', stream });
};

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

const deflating = (): Promise<number> =>
  served((http) => {
    const server = new WebSocketServer({ server: http, perMessageDeflate: { threshold: 0, serverMaxWindowBits: 10 } });
    ended.push(() => {
      for (const client of server.clients) client.terminate();
    });
    server.on('connection', (socket) => socket.on('message', (text) => socket.send(confirmationOf(String(text)))));
    return (stream, data) => {
      const message = JSON.stringify({ type: 'message', stream, data });
      for (const client of server.clients) client.send(message);
    };
  });

const measure = (port: number, ...flags: string[]) => {
  const urls = ['--target-url', `ws://127.0.0.1:${port}/ws`, '--publish-url', `http://127.0.0.1:${port}/_broadcast`];
  const more = ['--compression', 'require', ...flags, ...latencyFlags(subscribers, broadcasts)];
  return place.measure(['run', 'latency', '--protocol', 'ws-json', ...urls, ...more]);
};

it.each(['native', 'js'])('clients get all of it compressed, by the %s engine', async (engine) => {
  const result = soundResult(await measure(await deflating(), '--engine', engine));
  const owed = subscribers * broadcasts;
  expect(broadcastBooks(result)).toMatchObject({ acked: broadcasts, expected: owed, delivered: owed });
  const [use] = enginesTogether(result.shards.flatMap((shard) => shard.result?.rig.engines ?? []));
  expect(use).toMatchObject({ name: engine, compressedClients: subscribers, handedOver: owed + 3 * subscribers });
  expect(use?.deflatedBytes).toBeLessThan(use?.inflatedBytes ?? 0);
});

it('a target that does not choose it has no client that requires it, by a cause', async () => {
  const port = await served((http) => {
    new WebSocketServer({ server: http });
    return () => undefined;
  });
  const done = await measure(port);
  expect(done.code).toBe(4);
  expect(done.stdout + done.stderr).toContain('bad-upgrade:no compression');
});
