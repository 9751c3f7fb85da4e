import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { serveEvents } from '../../../servers/socketio/service.js';
import { soundResult, targetFlags } from '../../../test/latency.js';
import { workplace } from '../../../test/workplace.js';
import type { RunResult } from '../../results/result.js';

const place = workplace();
const [clients, slow, stopped] = [11, 2, 1];

async function measure(broadcasts: number, flags: readonly string[]): Promise<RunResult> {
  const sizes = {
    clients,
    broadcasts,
    'warm-up': 2,
    rate: '60/s',
    payload: '200kb',
    slow: '18%:50kb/s',
    stopped: '9%',
  };
  const load = Object.entries({ ...sizes, drain: '20s' }).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const result = soundResult(await place.measure(['run', 'slow-readers', ...load, ...flags]));
  const healthy = clients - slow - stopped;
  expect(result.ledger).toMatchObject({
    acked: broadcasts,
    expected: healthy * broadcasts,
    delivered: healthy * broadcasts,
  });
  expect(result.ledger).toMatchObject({ deliveredBefore: (healthy * broadcasts) / 2, duplicate: 0, late: 0 });
  expect(result.ledger).toMatchObject({ slowReaders: slow + stopped, slowExpected: (slow + stopped) * broadcasts });
  expect([result.metrics.deliveryBefore?.count, result.metrics.delivery?.count]).toEqual([
    (healthy * broadcasts) / 2,
    (healthy * broadcasts) / 2,
  ]);
  return result;
}

const counts = ({ ledger }: RunResult) => ledger as Record<string, number>;

describe.each(['native', 'js'])('with the %s engine', (engine) => {
  it('a target that keeps all for slow readers has them read it later', async () => {
    const result = await measure(120, ['--target', 'ws', '--engine', engine, '--payload', '20kb']);
    expect(counts(result)).toMatchObject({ slowCut: 0, slowLostByCut: 0, slowDropped: 0, slowStayed: 3 });
    expect(counts(result).slowRead).toBeGreaterThan(0);
    expect(counts(result).slowReadLater).toBeGreaterThan(0);
  });
});

describe('a target that cuts who has not read a megabyte', () => {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const { type, stream } = JSON.parse(String(data)) as { type: string; stream: string };
      if (type === 'subscribe') socket.send(JSON.stringify({ type: 'subscribed', stream }));
    }),
  );
  http.on('request', async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    for (const socket of server.clients) {
      if (socket.readyState !== WebSocket.OPEN) continue;
      if (socket.bufferedAmount > 1_000_000) socket.terminate();
      else socket.send(body);
    }
    response.writeHead(201).end();
  });

  afterAll(() => {
    for (const socket of server.clients) socket.terminate();
    http.close();
    http.closeAllConnections();
  });

  it('has cut all slow readers, who come back without what they missed, and no other', async () => {
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    // Half of them, 40 MB, is more than Linux holds for a client that does not read: 33 MB, and 4 MB on its way.
    const result = await measure(400, targetFlags({ port: (http.address() as AddressInfo).port }));
    expect(counts(result)).toMatchObject({ slowCut: 3, slowBack: 3, slowNotBack: 0, slowDropped: 0 });
    expect(counts(result)).toMatchObject({ slowStayed: 0, slowRecovered: 0, resumes: 0 });
    expect(counts(result).slowLostByCut).toBeGreaterThan(0);
    expect(result.ledger.slowCutByCause).toEqual({ 'end-of-stream': 3 });
    expect(result.metrics.cutAfter?.count).toBe(3);
  });
});

describe('a target that cuts who does not read, and keeps what they miss', () => {
  const http = createServer();
  const io = new Server(http, { connectionStateRecovery: {} });
  io.on('connection', (socket) => serveEvents(socket));
  http.on('request', async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { stream, data } = JSON.parse(Buffer.concat(parts).toString()) as { stream: string; data: string };
    for (const { conn } of io.sockets.sockets.values()) {
      const { writeBuffer, transport } = conn as unknown as { writeBuffer: []; transport: { socket?: WebSocket } };
      if (writeBuffer.length > 9) transport.socket?.terminate();
    }
    io.to(stream).emit('message', JSON.parse(data));
    response.writeHead(201).end();
  });

  afterAll(async () => {
    await io.close();
    http.closeAllConnections();
  });

  it('gives them all of it when they are back', async () => {
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const at = `127.0.0.1:${(http.address() as AddressInfo).port}`;
    const urls = [
      ...['--target-url', `ws://${at}/socket.io/?EIO=4&transport=websocket`],
      ...['--publish-url', `http://${at}/_broadcast`, '--protocol', 'socketio'],
    ];
    const result = await measure(400, urls);
    expect(counts(result)).toMatchObject({ slowCut: 3, slowBack: 3, slowNotBack: 0, resumes: 3, recovered: 3 });
    const { slowExpected, slowRead, slowReadLater, slowRecovered } = counts(result);
    expect(slowRecovered).toBeGreaterThan(0);
    expect(slowRead! + slowReadLater! + slowRecovered!).toBe(slowExpected);
  });
});
