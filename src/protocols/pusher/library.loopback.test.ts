import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import { type Clients, causeInWords } from '../protocol.js';
import { pusher } from './index.js';

/** Speaks Pusher as far as the library needs it, but for the channels called `other`. */
let server: WebSocketServer;
let events: RecordingEvents;
let clients: Clients;
let said: string[] = [];

const channel = 'private-bench';

async function listen(port = 0): Promise<void> {
  server = new WebSocketServer({ port, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    const tell = (talk: object) => socket.send(JSON.stringify(talk));
    const data = JSON.stringify({ socket_id: '11.13', activity_timeout: 120 });
    tell({ event: 'pusher:connection_established', data });
    socket.on('message', (bytes) => {
      said.push(String(bytes));
      const { event, data } = JSON.parse(String(bytes)) as { event: string; data: { channel: string } };
      if (event !== 'pusher:subscribe') return;
      const isKnown = data.channel === channel;
      tell({ event: isKnown ? 'pusher_internal:subscription_succeeded' : 'pusher:subscription_error', ...data });
    });
  });
  await once(server, 'listening');
}

async function subscribed(): Promise<void> {
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/app/app-key`;
  clients = await pusher.libraryClients(events.setup(url), events);
  clients.open(3);
  await events.seen('3 ready');
  clients.subscribe(3, 'bench');
  await events.seen('3 subscribed bench');
}

async function close(): Promise<void> {
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
}

function say(talk: object): void {
  for (const socket of server.clients) socket.send(JSON.stringify(talk));
}

beforeEach(async () => {
  events = new RecordingEvents();
  said = [];
  await listen();
});

afterEach(async () => {
  clients.dispose();
  await close();
});

test('opens, subscribes and counts deliveries and whispers, not what others publish', async () => {
  await subscribed();
  say({ event: 'message', channel, data: '{"m":"of somebody else"}' });
  say({ event: 'message', channel, data: 'seq:7' });
  say({ event: 'news', channel, data: '{"m":"seq:11"}' });
  say({ event: 'message', channel: 'private-other', data: '{"m":"seq:13"}' });
  say({ event: 'message', channel, data: 'null' });
  say({ event: 'message', channel, data: '{"m":"seq:2"}' });
  say({ event: 'client-message', channel, data: { m: 'seq:3' } });
  await events.seen('3 delivered 3');
  const delivered = ['3 delivered 2', '3 delivered 3'];
  expect(events.lines).toEqual(['3 opened', '3 ready', '3 subscribed bench', ...delivered]);
});

test('a return is subscribed by the library, confirmed when asked for', async () => {
  await subscribed();
  for (const socket of server.clients) socket.close(1012);
  await events.seen('3 closed close-code:1012 true');
  clients.open(3);
  await events.seen('3 ready', 2);
  clients.subscribe(3, 'bench');
  await events.seen('3 subscribed bench', 2);
  expect(events.lines.filter((line) => line.includes('subscribed'))).toHaveLength(2);
  expect(said.filter((text) => text.includes('pusher:subscribe'))).toHaveLength(2);
});

test('a whisper leaves as the protocol says it, and only on a stream that the client has', async () => {
  await subscribed();
  expect([clients.whisper?.(3, 'another', 5), clients.whisper?.(4, 'bench', 5)]).toEqual([false, false]);
  expect(clients.whisper?.(3, 'bench', 7)).toBe(true);
  const whispers = () => said.filter((text) => text.includes('client-'));
  await expect.poll(whispers, { timeout: 30_000 }).toHaveLength(1);
  expect(JSON.parse(whispers()[0] as string)).toEqual({ event: 'client-message', channel, data: { m: 'seq:7' } });
  clients.drop(3, 'close');
  expect(clients.whisper?.(3, 'bench', 11)).toBe(false);
});

test.each([4000, 4007, 4100, 4201])('%i asks the library to try again, which only an open does', async (code) => {
  await subscribed();
  for (const socket of server.clients) socket.close(code);
  await events.seen(`3 closed ${causeInWords(pusher, `close-code:${code}`)} true`);
  // The library would be back by now.
  await new Promise((resolve) => setTimeout(resolve, code === 4100 ? 1207 : 101));
  expect([server.clients.size, events.lines.length]).toEqual([0, 4]);
  clients.open(3);
  await events.seen('3 ready', 2);
});

test('a channel that the server refuses ends the client', async () => {
  await subscribed();
  clients.open(5);
  await events.seen('5 ready');
  clients.subscribe(5, 'other');
  await events.seen('5 closed rejected:subscription_error true');
});

test('connects that fail are told by cause, once', async () => {
  await subscribed();
  const { port } = server.address() as AddressInfo;
  await close();
  clients.open(4);
  await events.seen('4 closed connect-refused false');
  server = new WebSocketServer({ port, host: '127.0.0.1', verifyClient: () => false });
  await once(server, 'listening');
  clients.open(5);
  await events.seen('5 closed http-status:401 false');
  expect(events.lines.filter((line) => /^[45]/.test(line))).toHaveLength(2);
});

test.each(['close', 'reset', 'vanish'] as const)('drop by %s ends by us, and the client opens again', async (mode) => {
  await subscribed();
  clients.drop(3, mode);
  expect(events.lines.slice(3)).toEqual(['3 closed ours true']);
  clients.open(3);
  clients.drop(3, mode);
  clients.open(3);
  await events.seen('3 ready', 2);
  expect(events.lines.slice(3)).toEqual(['3 closed ours true', '3 closed ours false', '3 opened', '3 ready']);
});

test('dispose leaves nothing open, neither open clients nor opening ones', async () => {
  await subscribed();
  const ended = [...server.clients].map((socket) => once(socket, 'close'));
  clients.open(5);
  clients.dispose();
  const told = [...events.lines];
  await Promise.all(ended);
  await new Promise((resolve) => server.close(resolve));
  expect(events.lines).toEqual(told);
});
