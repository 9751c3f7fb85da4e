import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import type { Clients, LibrarySetup } from '../protocol.js';
import { wsJson } from './index.js';

let server: WebSocketServer;
let events: RecordingEvents;
let clients: Clients | undefined;

function urlOf(address: AddressInfo | string | null): string {
  return `ws://127.0.0.1:${(address as AddressInfo).port}/ws`;
}

async function connect(url = urlOf(server.address()), more: Partial<LibrarySetup> = {}): Promise<Clients> {
  clients = await wsJson.libraryClients(events.setup(url, more), events);
  return clients;
}

async function subscribed(): Promise<Clients> {
  const made = await connect();
  made.open(3);
  await events.seen('3 ready');
  made.subscribe(3, 'bench');
  await events.seen('3 subscribed bench');
  return made;
}

beforeEach(async () => {
  events = new RecordingEvents();
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { type, stream } = JSON.parse(data.toString());
      if (type === 'echo') socket.send(data, { binary: false });
      if (type === 'whisper')
        for (const other of server.clients) if (other !== socket) other.send(data, { binary: false });
      if (type !== 'subscribe') return;
      const isKnown = stream === 'bench';
      socket.send(
        JSON.stringify(isKnown ? { type: 'subscribed', stream } : { type: 'error', message: 'no such stream' }),
      );
    });
  });
  await once(server, 'listening');
});

afterEach(async () => {
  clients?.dispose();
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

test('opens, subscribes and counts deliveries', async () => {
  await subscribed();
  for (const socket of server.clients) {
    for (const sequence of [2, 3, 5]) socket.send(`{"m":"seq:${sequence}"}`);
    socket.send('{"m":"of somebody else"}');
  }
  await events.seen('3 delivered 5');
  expect(events.lines).toEqual([
    '3 opened',
    '3 ready',
    '3 subscribed bench',
    '3 delivered 2',
    '3 delivered 3',
    '3 delivered 5',
  ]);
});

test('echoes to itself and whispers to the others', async () => {
  const made = await subscribed();
  made.open(5);
  await events.seen('5 ready');
  made.echo?.(3, 7);
  await events.seen('3 delivered 7');
  made.whisper?.(3, 'bench', 11);
  await events.seen('5 delivered 11');
  made.echo?.(6, 13);
  expect(events.lines.filter((line) => line.includes('delivered'))).toEqual(['3 delivered 7', '5 delivered 11']);
});

test('a close by the server is told with its code, a cut without one as end of stream', async () => {
  const made = await subscribed();
  for (const socket of server.clients) socket.close(4007);
  await events.seen('3 closed close-code:4007 true');
  made.open(3);
  await events.seen('3 ready', 2);
  for (const socket of server.clients) socket.terminate();
  await events.seen('3 closed end-of-stream true');
});

/** Client 3 echoes to a server that reads no more, until some wait; gives how many do, and the server's end. */
async function withUnsent(): Promise<{ made: Clients; unsent: number; peer: WebSocket }> {
  const made = await connect(undefined, { payload: () => JSON.stringify({ m: 'x'.repeat(100_003) }) });
  made.open(3);
  await events.seen('3 ready');
  const [peer] = server.clients as Set<WebSocket>;
  if (peer === undefined) throw new Error('no client is connected');
  peer.pause();
  for (let refused = 0; refused < 101; await new Promise(setImmediate)) if (!made.echo?.(3, 0)) refused++;
  const unsent = made.unsent?.(3) ?? 0;
  expect(unsent).toBeGreaterThan(0);
  return { made, unsent, peer };
}

const ends: [string, (made: Clients, peer: WebSocket) => void, string][] = [
  ['dropped by us', (made) => made.drop(3, 'reset'), 'ours'],
  [
    'refused by the server',
    (_, peer) => peer.send('{"type":"error","message":"no"}'),
    'rejected:{"type":"error","message":"no"}',
  ],
  [
    'reset by the server',
    (_, peer) => (peer as unknown as { _socket: Socket })._socket.resetAndDestroy(),
    'end-of-stream',
  ],
];

test.each(ends)('what still waits when a client is %s was never sent, and stays so', async (_, end, cause) => {
  const { made, unsent, peer } = await withUnsent();
  end(made, peer);
  await events.seen(`3 closed ${cause} true`);
  expect(made.unsent?.(3)).toBe(unsent);
  made.open(3);
  await events.seen('3 ready', 2);
  expect(made.unsent?.(3)).toBe(unsent);
});

test('a stream that the server refuses ends the client', async () => {
  const made = await connect();
  made.open(0);
  await events.seen('0 ready');
  made.subscribe(0, 'other');
  await events.seen('0 closed rejected:{"type":"error","message":"no such stream"} true');
});

test('connects that fail are told by cause', async () => {
  const silent = createServer((socket) => socket.resume());
  const refusing = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    verifyClient: (_info, answer) => answer(false, 503),
  });
  await Promise.all([once(silent.listen(0, '127.0.0.1'), 'listening'), once(refusing, 'listening')]);

  (await connect(urlOf(refusing.address()))).open(1);
  await events.seen('1 closed http-status:503 false');
  (await connect(urlOf(silent.address()), { connectTimeoutMs: 53 })).open(2);
  await events.seen('2 closed connect-timeout false');
  const freed = urlOf(silent.address());
  silent.close();
  await once(silent, 'close');
  (await connect(freed)).open(5);
  await events.seen('5 closed connect-refused false');
  await new Promise((resolve) => refusing.close(resolve));
  expect(events.lines).toHaveLength(3);
});

test.each(['close', 'reset', 'vanish'] as const)('drop by %s ends by us, and the client opens again', async (mode) => {
  const made = await subscribed();
  made.drop(3, mode);
  await events.seen('3 closed ours true');
  made.open(3);
  await events.seen('3 ready', 2);
});

test.each(['close', 'reset', 'vanish'] as const)(
  'drop by %s gives up a connection that is not open yet',
  async (mode) => {
    const made = await connect();
    made.open(3);
    made.drop(3, mode);
    await events.seen('3 closed ours false');
    made.open(3);
    await events.seen('3 ready');
    expect(events.lines).toEqual(['3 closed ours false', '3 opened', '3 ready']);
  },
);

test('what is sent to a connection that vanished is read by nobody, and it stays half open to the end', async () => {
  const made = await subscribed();
  const [left] = server.clients;
  if (!left) throw new Error('nobody is connected');
  made.drop(3, 'vanish');
  expect(events.lines.slice(3)).toEqual(['3 closed ours true']);
  made.open(3);
  await events.seen('3 ready', 2);
  left.send('{"m":"seq:7"}');
  for (const socket of server.clients) if (socket !== left) socket.send('{"m":"seq:11"}');
  await events.seen('3 delivered 11');
  expect(events.lines.slice(4)).toEqual(['3 opened', '3 ready', '3 delivered 11']);
  expect(server.clients.has(left)).toBe(true);
  const ended = once(left, 'close');
  made.dispose();
  await ended;
});

test('dispose leaves nothing open, neither open clients nor opening ones', async () => {
  const made = await subscribed();
  const ended = [...server.clients].map((socket) => once(socket, 'close'));
  made.open(5);
  made.dispose();
  const told = [...events.lines];
  await Promise.all(ended);
  await new Promise((resolve) => server.close(resolve));
  expect(server.clients.size).toBe(0);
  expect(events.lines).toEqual(told);
});
