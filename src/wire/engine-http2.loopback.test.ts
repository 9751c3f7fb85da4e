import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { answerHttp2, overHttp2 } from '../../servers/ws/http2.js';
import { makeJavaScript } from '../../test/doubles/engines.js';
import { WireRecorder } from '../../test/doubles/wire-recorder.js';
import { Certificates, canCertify } from '../../test/https-front.js';
import { plainSetup } from '../../test/stage/raw-stage.js';
import type { Engine, WireSetup } from './wire.js';

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0).reverse()) end();
});

/** Echoes each text; `die` cuts its connection, and numbers beyond 900 are sent back as they are. */
function webSockets(): WebSocketServer {
  const server = new WebSocketServer({ noServer: true });
  server.on('connection', (socket: WebSocket) => {
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      if (String(data) === 'leave') socket.close(4001, 'as you wish');
      else if (String(data) === 'cut') socket.terminate();
      else socket.send(data, { binary: isBinary });
    });
  });
  return server;
}

async function portOf(server: Server): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ended.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

async function plainServer() {
  const server = createHttp();
  const all = webSockets();
  overHttp2(server, (path) => (path === '/ws' ? all : undefined));
  server.on('upgrade', (request, socket, head) =>
    all.handleUpgrade(request, socket, head, (one) => all.emit('connection', one, request)),
  );
  return { ...(await portOf(server)), all };
}

function engineOf(url: string, clientsPerHttp2: number | undefined, more: Partial<WireSetup> = {}) {
  const sink = new WireRecorder();
  const engine = makeJavaScript({ ...plainSetup, capacity: 17, url, clientsPerHttp2, ...more }, sink);
  ended.push(() => engine.dispose());
  return { sink, engine };
}

async function opened(engine: Engine, sink: WireRecorder, clients: number): Promise<void> {
  for (let client = 0; client < clients; client++) engine.open(client);
  await sink.until(() => sink.openTimes.length === clients);
}

describe('clients over HTTP/2', () => {
  it.each([
    [1, 7],
    [3, 3],
    [7, 1],
    [undefined, 7],
  ] as const)('share connections, %s on each', async (each, connections) => {
    const { port, sockets, all } = await plainServer();
    const { sink, engine } = engineOf(`ws://127.0.0.1:${port}/ws`, each);
    await opened(engine, sink, 7);
    expect([sockets.size, all.clients.size]).toEqual([connections, 7]);
    const long = 'x'.repeat(300_007);
    for (let client = 0; client < 7; client++) {
      engine.send(client, `#n00${client}`);
      engine.send(client, client === 3 ? long : Buffer.from([client, 0xff]));
    }
    await sink.until(() => sink.seen.length === 7 && sink.events.length === 14);
    expect(sink.seen.map(({ client, sequence }) => client - sequence)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(sink.events).toContain(`text 3 ${long}`);
    expect(sink.events).toContain('binary 5 05ff');
    for (const { receivedAtNs, notBeforeNs } of sink.seen) expect(notBeforeNs).toBeLessThanOrEqual(receivedAtNs);
    engine.ping(2, Buffer.from('here'));
    await sink.untilEvent('pong 2 here');
  });

  it('leave one by one, however they end, and come again', async () => {
    const { port, sockets, all } = await plainServer();
    const { sink, engine } = engineOf(`ws://127.0.0.1:${port}/ws`, 5);
    await opened(engine, sink, 5);
    engine.send(0, 'leave');
    engine.send(1, 'cut');
    engine.close(2, 4400, 'mine');
    engine.drop(3, 'reset');
    await sink.until(() => sink.events.filter((event) => event.startsWith('closed')).length === 4);
    expect(sink.events.filter((event) => event.startsWith('closed')).sort()).toEqual([
      'closed 0 close-code:4001 true',
      expect.stringMatching(/^closed 1 (reset|end-of-stream) true$/),
      'closed 2 ours true',
      'closed 3 ours true',
    ]);
    await expect.poll(() => all.clients.size).toBe(1);
    engine.send(4, 'still here');
    await sink.untilEvent('text 4 still here');
    for (const client of [0, 1, 2, 3]) engine.open(client);
    await sink.until(() => sink.openTimes.length === 9);
    expect([sockets.size, all.clients.size]).toEqual([1, 5]);
    for (const client of [0, 1, 2, 3, 4]) engine.drop(client, 'close');
    await expect.poll(() => sockets.size).toBe(0);
    engine.open(4);
    await sink.until(() => sink.openTimes.length === 10);
    expect(sockets.size).toBe(1);
  });

  it('end together with their connection, and with no other', async () => {
    const { port, sockets } = await plainServer();
    const { sink, engine } = engineOf(`ws://127.0.0.1:${port}/ws`, 2);
    await opened(engine, sink, 4);
    [...sockets][0]!.resetAndDestroy();
    await sink.until(() => sink.events.filter((event) => event.startsWith('closed')).length === 2);
    const lost = sink.events.filter((event) => event.startsWith('closed'));
    expect(lost.map((event) => event.replace(/ (\d) .* /, ' $1 '))).toEqual(['closed 0 true', 'closed 1 true']);
    engine.send(2, 'here');
    await sink.untilEvent('text 2 here');
  });

  it.each([
    ['that path', '/elsewhere', 'http-status:400'],
    ['WebSockets', 'old', 'network:ERR_HTTP2_NO_EXTENDED_CONNECT'],
    ['a connection', 'nobody', 'connect-refused'],
  ])('are turned away by a server without %s', async (_what, path, cause) => {
    const { port } = await plainServer();
    const { port: old } = await portOf(http2.createServer());
    const address = { old: `${old}/ws`, nobody: '1/ws' }[path] ?? `${port}${path}`;
    const { sink, engine } = engineOf(`ws://127.0.0.1:${address}`, 2);
    for (const client of [0, 1, 2]) engine.open(client);
    await sink.until(() => sink.events.length === 3);
    expect(sink.events.sort()).toEqual([0, 1, 2].map((client) => `closed ${client} ${cause} false`));
  });

  it.skipIf(!canCertify)('make TLS once for each connection', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wire-http2-'));
    ended.push(() => rmSync(folder, { recursive: true }));
    const all = webSockets();
    const server = http2.createSecureServer({
      ...new Certificates(folder).of('server'),
      settings: { enableConnectProtocol: true },
    });
    answerHttp2(server, () => all);
    const { port, sockets } = await portOf(server);
    const { sink, engine } = engineOf(`wss://127.0.0.1:${port}/ws`, 3, { isInsecure: true });
    await opened(engine, sink, 6);
    engine.send(5, '#n005');
    await sink.until(() => sink.seen.length === 1);
    expect(sockets.size).toBe(2);
  });
});
