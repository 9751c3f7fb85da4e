import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import type { Clients } from '../protocol.js';
import { rails } from './index.js';

/** Answers as BenchmarkChannel does. */
let server: WebSocketServer;
let events: RecordingEvents;
let clients: Clients;
let url: string;
/** What clients subscribed to. */
const asked: unknown[] = [];

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    socket.send('{"type":"welcome"}');
    socket.on('message', (text) => {
      const { command, identifier, data } = JSON.parse(String(text));
      if (command === 'subscribe') asked.push(JSON.parse(identifier));
      if (command === 'subscribe') return socket.send(JSON.stringify({ type: 'confirm_subscription', identifier }));
      const { action, payload } = JSON.parse(data);
      const reach = action === 'broadcast' ? server.clients : [socket];
      for (const each of reach) each.send(JSON.stringify({ identifier, message: { action, payload } }));
      if (action === 'echo') return;
      socket.send(JSON.stringify({ identifier, message: { action: 'broadcastResult', payload } }));
    });
  });
  await once(server, 'listening');
  events = new RecordingEvents();
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/cable`;
  clients = await rails.libraryClients(events.setup(url), events);
  for (const client of [3, 5]) {
    clients.open(client);
    await events.seen(`${client} ready`);
    clients.subscribe(client, 'bench');
    await events.seen(`${client} subscribed bench`);
  }
  events.lines.length = 0;
});

afterEach(async () => {
  clients.dispose();
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

test('performs echo and broadcast, and tells the answer to a broadcast from its deliveries', async () => {
  expect(clients.broadcast?.(5, 'bench', 7)).toBe(true);
  await Promise.all([events.seen('3 delivered 7'), events.seen('5 acknowledged 7')]);
  expect(clients.echo?.(3, 11)).toBe(true);
  await events.seen('3 delivered 11');
  expect(events.lines.toSorted()).toEqual(['3 delivered 11', '3 delivered 7', '5 acknowledged 7', '5 delivered 7']);
});

test('counts what is published over HTTP, and ignores what is not of this run', async () => {
  const identifier = '{"channel":"BenchmarkChannel","stream_name":"bench"}';
  const messages = [
    null,
    'seq:2',
    { action: 'broadcast', payload: null },
    { action: 'broadcastResult' },
    { m: 'seq:3' },
  ];
  for (const message of messages)
    for (const socket of server.clients) socket.send(JSON.stringify({ identifier, message }));
  await Promise.all([events.seen('3 delivered 3'), events.seen('5 delivered 3')]);
  expect(events.lines).toHaveLength(2);
});

test('broadcasts only for a client that has the stream, and echoes on a stream of its own', async () => {
  expect(clients.broadcast?.(3, 'another', 7)).toBe(false);
  expect(clients.echo?.(4, 7)).toBe(false);
  clients.open(4);
  await events.seen('4 ready');
  expect(clients.echo?.(4, 7)).toBe(true);
  await events.seen('4 delivered 7');
});

test('subscribes to the channel of the server, by its own parameter', async () => {
  const setup = { ...events.setup(url), options: { railsChannel: 'ChatChannel', railsParameter: 'room' } };
  const others = await rails.libraryClients(setup, events);
  others.open(11);
  await events.seen('11 ready');
  others.subscribe(11, 'bench');
  await events.seen('11 subscribed bench');
  expect(asked.at(-1)).toEqual({ channel: 'ChatChannel', room: 'bench' });
  others.dispose();
});
