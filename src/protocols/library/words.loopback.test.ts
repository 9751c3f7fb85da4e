import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { libraryServer, SocketioServer, type WsServer } from '../../../test/doubles/library-servers.js';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import { anycable, rails } from '../anycable/index.js';
import { shootout } from '../described.js';
import { raw } from '../messages/index.js';
import { type Clients, causeInWords, type Protocol } from '../protocol.js';
import { pusher } from '../pusher/index.js';
import { socketio } from '../socketio/index.js';

let server: WsServer;
let events: RecordingEvents;
let clients: Clients;

/** Subscribes these clients to `bench`, and forgets what was told so far. */
async function subscribed(
  name: Parameters<typeof libraryServer>[0],
  protocol: Protocol,
  ...ids: number[]
): Promise<void> {
  server = await libraryServer(name);
  events = new RecordingEvents();
  clients = await protocol.libraryClients(events.setup(server.url), events);
  for (const client of ids) {
    await events.join(clients, client, 'bench');
  }
  events.lines.length = 0;
}

afterEach(async () => {
  clients?.dispose();
  await server?.stop();
  [clients, server] = [undefined!, undefined!];
});

test('anycable: a disconnect in the words of the protocol is a refusal', async () => {
  await subscribed('anycable', anycable, 3);
  server.say({ type: 'disconnect', reason: 'server_restart', reconnect: false });
  await events.seen('3 closed rejected:server_restart true');
  clients.open(3);
  await events.seen('3 ready');
});

test.each([4000, 4007, 4100, 4201])('pusher: %i asks to try again, which only an open does', async (code) => {
  await subscribed('pusher', pusher, 3);
  server.cut(code);
  const ended = `3 closed ${causeInWords(pusher, `close-code:${code}`)} true`;
  await events.seen(ended);
  // The library would be back by now.
  await new Promise((resolve) => setTimeout(resolve, code === 4100 ? 1207 : 101));
  expect([server.server.clients.size, events.lines]).toEqual([0, [ended]]);
  clients.open(3);
  await events.seen('3 ready');
});

test.each([
  ['rails', rails],
  ['shootout', shootout],
] as const)('%s: a broadcast reaches all, and its answer is told from its deliveries', async (name, protocol) => {
  await subscribed(name, protocol, 3, 5);
  expect(clients.broadcast?.(5, 'bench', 7)).toBe(true);
  await Promise.all([events.seen('3 delivered 7'), events.seen('5 acknowledged 7')]);
  expect(clients.echo?.(3, 11)).toBe(true);
  await events.seen('3 delivered 11');
  expect(events.lines.toSorted()).toEqual(['3 delivered 11', '3 delivered 7', '5 acknowledged 7', '5 delivered 7']);
});

test('rails: broadcasts only for a client that has the stream, and echoes on a stream of its own', async () => {
  await subscribed('rails', rails, 3);
  expect([clients.broadcast?.(3, 'another', 7), clients.echo?.(4, 7)]).toEqual([false, false]);
  clients.open(4);
  await events.seen('4 ready');
  expect(clients.echo?.(4, 7)).toBe(true);
  await events.seen('4 delivered 7');
});

test('rails: subscribes to the channel of the server, by its own parameter', async () => {
  await subscribed('rails', rails);
  const options = { railsChannel: 'ChatChannel', railsParameter: 'room' };
  const others = await rails.libraryClients(events.setup(server.url, { options }), events);
  await events.join(others, 11, 'bench');
  const { identifier } = JSON.parse(server.said.at(-1)!) as { identifier: string };
  expect(JSON.parse(identifier)).toEqual({ channel: 'ChatChannel', room: 'bench' });
  others.dispose();
});

test('clients of ws are up with the pong of their own ping, and tell of those that follow', async () => {
  const pinged = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
  pinged.on('connection', (socket) => {
    socket.pong('unasked');
    socket.on('ping', (payload) => {
      socket.pong('other');
      socket.pong(payload);
      socket.pong(payload);
    });
  });
  await once(pinged, 'listening');
  const events = new RecordingEvents();
  const url = `ws://127.0.0.1:${(pinged.address() as AddressInfo).port}/`;
  const clients = await raw.libraryClients(events.setup(url), events);
  clients.ping?.(3);
  await events.join(clients, 3, 'news');
  clients.ping?.(3);
  await events.seen('3 ponged', 2);
  expect(events.lines).toEqual(['3 opened', '3 ready', '3 subscribed news', '3 ponged', '3 ponged']);
  clients.dispose();
  pinged.close();
});

describe('socketio', () => {
  let io: SocketioServer;

  beforeEach(async () => {
    events = new RecordingEvents();
    io = await new SocketioServer().listen();
    clients = await socketio.libraryClients(events.setup(io.url), events);
    await events.join(clients, 2, 'bench');
  });
  afterEach(() => io.stop());

  test('a client says nothing while it is away, and joins again if it is not recovered', async () => {
    io.cut();
    await events.seen('2 closed close-code:1005 true');
    clients.echo?.(2, 5);
    clients.whisper?.(2, 'bench', 7);
    clients.open(2);
    await events.seen('2 ready', 2);
    expect(io.io.sockets.adapter.rooms.get('bench')).toBeUndefined();
    clients.subscribe(2, 'bench');
    await events.seen('2 subscribed bench', 2);
    expect([...io.io.sockets.adapter.rooms.get('bench')!]).toHaveLength(1);
    clients.echo?.(2, 11);
    await events.seen('2 delivered 11');
    const returned = ['2 opened', '2 resumed false', '2 ready', '2 subscribed bench', '2 delivered 11'];
    expect(events.lines.slice(4)).toEqual(returned);
  });

  test('a disconnect by the server is a refusal, after which the client opens again', async () => {
    io.io.disconnectSockets();
    await events.seen('2 closed rejected:io server disconnect true');
    clients.open(2);
    await events.seen('2 ready', 2);
  });

  test('a client tells of pongs, though the socket is that of its library', async () => {
    clients.ping?.(2);
    await events.seen('2 ponged');
  });
});
