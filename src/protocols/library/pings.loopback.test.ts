import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import { raw } from '../raw/index.js';
import { socketio } from '../socketio/index.js';

test('clients of ws are up with the pong of their own ping, and tell of those that follow', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
  server.on('connection', (socket) => {
    socket.pong('unasked');
    socket.on('ping', (payload) => {
      socket.pong('other');
      socket.pong(payload);
      socket.pong(payload);
    });
  });
  await once(server, 'listening');
  const events = new RecordingEvents();
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const clients = await raw.libraryClients(events.setup(url), events);
  clients.ping?.(3);
  clients.open(3);
  await events.seen('3 ready');
  clients.subscribe(3, 'news');
  await events.seen('3 subscribed news');
  clients.ping?.(3);
  await events.seen('3 ponged', 2);
  expect(events.lines).toEqual(['3 opened', '3 ready', '3 subscribed news', '3 ponged', '3 ponged']);
  clients.dispose();
  server.close();
});

test('clients of a library that has its own socket tell of pongs, too', async () => {
  const http = createServer();
  const io = new Server(http);
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const events = new RecordingEvents();
  const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/socket.io/`;
  const clients = await socketio.libraryClients(events.setup(url), events);
  clients.open(2);
  await events.seen('2 ready');
  clients.ping?.(2);
  await events.seen('2 ponged');
  clients.dispose();
  await io.close();
});
