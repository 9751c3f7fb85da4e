import { type EventEmitter, once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterEach, expect, test } from 'vitest';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import type { Clients } from '../protocol.js';
import { socketio } from './index.js';

let http: HttpServer;
let io: Server;
let events: RecordingEvents;
let clients: Clients;

async function serve(options: ConstructorParameters<typeof Server>[1] = {}): Promise<void> {
  events = new RecordingEvents();
  http = createServer();
  io = new Server(http, options);
  io.use((socket, next) => next(socket.handshake.headers['x-key'] === 'bad' ? new Error('not allowed') : undefined));
  io.on('connection', (socket) => {
    socket.on('join', (room: string, confirm: () => void) => {
      socket.join(room);
      confirm();
    });
    socket.on('echo', (data: unknown, answer: (data: unknown) => void) => answer(data));
    socket.on('whisper', (room: string, data: unknown) => void socket.to(room).emit('message', data));
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  clients = await socketio.libraryClients(events.setup(url()), events);
}

/** Closes every connection under the sessions, as a network would. */
function cut(): void {
  for (const socket of io.sockets.sockets.values()) socket.conn.close();
}

function url(): string {
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}/socket.io/?EIO=4&transport=websocket`;
}

async function subscribed(): Promise<void> {
  clients.open(2);
  await events.seen('2 ready');
  clients.subscribe(2, 'bench');
  await events.seen('2 subscribed bench');
}

afterEach(async () => {
  clients.dispose();
  await io.close();
});

test('opens, joins and counts deliveries', async () => {
  await serve();
  await subscribed();
  for (const sequence of [2, 3, 5]) io.to('bench').emit('message', { m: `seq:${sequence}` });
  io.to('bench').emit('message', { m: 'of somebody else' });
  io.to('bench').emit('message', 'seq:7');
  io.to('bench').emit('message', { m: 'seq:11' });
  await events.seen('2 delivered 11');
  expect(events.lines).toEqual([
    '2 opened',
    '2 ready',
    '2 subscribed bench',
    '2 delivered 2',
    '2 delivered 3',
    '2 delivered 5',
    '2 delivered 7',
    '2 delivered 11',
  ]);
});

test('echoes to itself and whispers to the others in the room', async () => {
  await serve();
  await subscribed();
  clients.open(3);
  await events.seen('3 ready');
  clients.subscribe(3, 'bench');
  await events.seen('3 subscribed bench');
  clients.echo?.(2, 5);
  await events.seen('2 delivered 5');
  clients.whisper?.(2, 'bench', 7);
  await events.seen('3 delivered 7');
  expect(events.lines.filter((line) => line.includes('delivered'))).toEqual(['2 delivered 5', '3 delivered 7']);
});

test('says nothing for a client that is away, not even when it is back', async () => {
  await serve();
  await subscribed();
  cut();
  await events.seen('2 closed close-code:1005 true');
  clients.echo?.(2, 5);
  clients.whisper?.(2, 'bench', 7);
  clients.open(2);
  await events.seen('2 ready', 2);
  clients.echo?.(2, 11);
  await events.seen('2 delivered 11');
  expect(events.lines.filter((line) => line.includes('delivered'))).toEqual(['2 delivered 11']);
});

test('opened again it is the same client; unrecovered it has to join again', async () => {
  await serve();
  await subscribed();
  cut();
  await events.seen('2 closed close-code:1005 true');
  clients.open(2);
  await events.seen('2 ready', 2);
  expect(events.lines.slice(3)).toEqual(['2 closed close-code:1005 true', '2 opened', '2 resumed false', '2 ready']);
  clients.subscribe(2, 'bench');
  await events.seen('2 subscribed bench', 2);
  expect([...io.sockets.adapter.rooms.get('bench')!]).toHaveLength(1);
});

test('comes back recovered with what it missed; its room is held', async () => {
  await serve({ connectionStateRecovery: {} });
  await subscribed();
  io.to('bench').emit('message', { m: 'seq:2' });
  await events.seen('2 delivered 2');
  cut();
  await events.seen('2 closed close-code:1005 true');
  io.to('bench').emit('message', { m: 'seq:3' });
  clients.open(2);
  await events.seen('2 ready', 2);
  await events.seen('2 delivered 3');
  clients.subscribe(2, 'bench');
  expect(events.lines.slice(5).sort()).toEqual([
    '2 delivered 3',
    '2 opened',
    '2 ready',
    '2 resumed true',
    '2 subscribed bench',
  ]);
});

test('a disconnect by the server is a refusal, after which the client opens again', async () => {
  await serve();
  await subscribed();
  io.disconnectSockets();
  await events.seen('2 closed rejected:io server disconnect true');
  clients.open(2);
  await events.seen('2 ready', 2);
});

test('a session that the server refuses ends with its word', async () => {
  await serve();
  const refused = await socketio.libraryClients(events.setup(url(), { headers: { 'x-key': 'bad' } }), events);
  refused.open(0);
  await events.seen('0 closed rejected:not allowed true');
  refused.dispose();
});

test('each refused connect is told once', async () => {
  await serve();
  const address = http.address() as AddressInfo;
  await new Promise((resolve) => http.close(resolve));
  for (const attempt of [1, 2]) {
    clients.open(1);
    await events.seen('1 closed connect-refused false', attempt);
  }
  await once(http.listen(address.port, address.address), 'listening');
  clients.open(1);
  await events.seen('1 ready');
  const refused = '1 closed connect-refused false';
  expect(events.lines).toEqual([refused, refused, '1 opened', '1 ready']);
});

test.each(['close', 'reset', 'vanish'] as const)('drop by %s ends by us, and the client opens again', async (mode) => {
  await serve();
  await subscribed();
  clients.drop(2, mode);
  expect(events.lines.slice(3)).toEqual(['2 closed ours true']);
  clients.open(2);
  await events.seen('2 ready', 2);
  expect(events.lines.slice(4)).toEqual(['2 opened', '2 resumed false', '2 ready']);
});

test('dispose leaves nothing open, neither open clients nor opening ones', async () => {
  await serve();
  await subscribed();
  clients.open(5);
  const ended = [...io.sockets.sockets.values()].map((socket) => once(socket as unknown as EventEmitter, 'disconnect'));
  clients.dispose();
  const told = [...events.lines];
  await Promise.all(ended);
  await new Promise((resolve) => http.close(resolve));
  expect(events.lines).toEqual(told);
});
