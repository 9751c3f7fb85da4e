import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import type { Clients, Protocol } from '../protocol.js';
import { actioncable, anycable } from './index.js';

/** Speaks Action Cable as far as the library needs it: welcomes, confirms or rejects, and confirms any history. */
let server: WebSocketServer;
let events: RecordingEvents;
let clients: Clients;

const identifier = '{"channel":"$pubsub","stream_name":"bench"}';

async function listen(port = 0): Promise<void> {
  server = new WebSocketServer({ port, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    const say = (talk: object) => socket.send(JSON.stringify(talk));
    say({ type: 'welcome' });
    socket.on('message', (data) => {
      const { command, identifier, history } = JSON.parse(data.toString());
      if (command === 'whisper') return;
      const isKnown = identifier.includes('bench');
      say({ type: isKnown ? 'confirm_subscription' : 'reject_subscription', identifier });
      if (isKnown && history) say({ type: 'confirm_history', identifier });
    });
  });
  await once(server, 'listening');
}

async function subscribed(protocol: Protocol = anycable): Promise<void> {
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/cable`;
  clients = await protocol.libraryClients(events.setup(url), events);
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
  await listen();
});

afterEach(async () => {
  clients.dispose();
  await close();
});

test('opens, subscribes and counts deliveries', async () => {
  await subscribed();
  say({ identifier, message: { m: 'of somebody else' } });
  say({ identifier, message: 'seq:7' });
  for (const sequence of [2, 3, 5]) say({ identifier, message: { m: `seq:${sequence}` } });
  await events.seen('3 delivered 5');
  const delivered = ['3 delivered 2', '3 delivered 3', '3 delivered 5'];
  expect(events.lines).toEqual(['3 opened', '3 ready', '3 subscribed bench', ...delivered]);
});

test.each([
  ['anycable', anycable, true],
  ['actioncable', actioncable, false],
] as const)(
  '%s: a return is subscribed by the library, confirmed when asked for',
  async (_name, protocol, wasRecovered) => {
    await subscribed(protocol);
    for (const socket of server.clients) socket.close(4007);
    await events.seen('3 closed close-code:4007 true');
    clients.open(3);
    await events.seen('3 ready', 2);
    clients.subscribe(3, 'bench');
    await events.seen('3 subscribed bench', 2);
    await events.seen(`3 resumed ${wasRecovered}`);
    expect(events.lines.filter((line) => line.includes('subscribed'))).toHaveLength(2);
  },
);

test('a whisper leaves as the protocol says it, and only on a stream that the client has', async () => {
  const heard: string[] = [];
  await subscribed();
  for (const socket of server.clients) socket.on('message', (data) => heard.push(String(data)));
  clients.whisper?.(3, 'another', 5);
  clients.whisper?.(3, 'bench', 7);
  await expect.poll(() => heard.filter((text) => text.includes('whisper')), { timeout: 30_000 }).toHaveLength(1);
  expect(JSON.parse(heard.at(-1) as string)).toEqual({ command: 'whisper', identifier, data: { m: 'seq:7' } });
});

test('a disconnect in the words of the protocol is a refusal', async () => {
  await subscribed();
  say({ type: 'disconnect', reason: 'server_restart', reconnect: false });
  await events.seen('3 closed rejected:server_restart true');
  clients.open(3);
  await events.seen('3 ready', 2);
});

test('a stream that the server rejects ends the client', async () => {
  await subscribed();
  clients.open(5);
  await events.seen('5 ready');
  clients.subscribe(5, 'other');
  await events.seen('5 closed rejected:reject_subscription true');
});

test('connects that fail are told by cause, once', async () => {
  await subscribed();
  const { port } = server.address() as AddressInfo;
  await close();
  clients.open(4);
  await events.seen('4 closed connect-refused false');
  server = new WebSocketServer({ port, host: '127.0.0.1', handleProtocols: () => false });
  await once(server, 'listening');
  clients.open(5);
  await events.seen('5 closed bad-upgrade:Server sent no subprotocol false');
});

test.each(['close', 'reset', 'vanish'] as const)('drop by %s ends by us, and the client opens again', async (mode) => {
  await subscribed();
  clients.drop(3, mode);
  expect(events.lines.slice(3)).toEqual(['3 closed ours true']);
  clients.open(3);
  await events.seen('3 ready', 2);
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
