import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import type { Clients } from '../protocol.js';
import { shootout } from './index.js';

let server: WebSocketServer;
let clients: Clients | undefined;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket: WebSocket) => {
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(data.toString());
      if (type === 'echo') socket.send(data, { binary: false });
      else {
        for (const each of server.clients) each.send(JSON.stringify({ type, payload }));
        socket.send(JSON.stringify({ type: 'broadcastResult', payload, listenerCount: server.clients.size }));
      }
    });
  });
  await once(server, 'listening');
});

afterEach(async () => {
  clients?.dispose();
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

test('a broadcast reaches all, and its sender is told apart from them', async () => {
  const events = new RecordingEvents();
  const { port } = server.address() as AddressInfo;
  clients = await shootout.libraryClients(events.setup(`ws://127.0.0.1:${port}/ws`), events);
  for (const client of [3, 5]) {
    clients.open(client);
    await events.seen(`${client} ready`);
    clients.subscribe(client, 'bench');
    await events.seen(`${client} subscribed bench`);
  }
  events.lines.length = 0;
  clients.broadcast?.(5, 'bench', 7);
  await Promise.all([events.seen('3 delivered 7'), events.seen('5 acknowledged 7')]);
  clients.echo?.(3, 11);
  await events.seen('3 delivered 11');
  expect(events.lines.toSorted()).toEqual(['3 delivered 11', '3 delivered 7', '5 acknowledged 7', '5 delivered 7']);
});
