import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { serveEvents } from '../../../servers/socketio/service.js';
import { targetFlags } from '../../../test/latency.js';
import { counts, measure } from '../../../test/runs/slow-readers.js';

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
