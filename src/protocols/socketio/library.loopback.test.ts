import { afterEach, expect, test } from 'vitest';
import { SocketioServer } from '../../../test/doubles/library-servers.js';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import type { Clients } from '../protocol.js';
import { socketio } from './index.js';

let server: SocketioServer;
let events: RecordingEvents;
let clients: Clients;

/** Subscribes clients 2 and 3. */
async function serve(options?: ConstructorParameters<typeof SocketioServer>[0]): Promise<void> {
  events = new RecordingEvents();
  server = await new SocketioServer(options).listen();
  clients = await socketio.libraryClients(events.setup(server.url), events);
  for (const client of [2, 3]) {
    await events.join(clients, client, 'bench');
  }
}

/** Cuts both, and opens the first again. */
async function back(meanwhile: () => void): Promise<void> {
  server.cut();
  for (const client of [2, 3]) await events.seen(`${client} closed close-code:1005 true`);
  meanwhile();
  clients.open(2);
  await events.seen('2 ready', 2);
}

const ofFirst = (): string[] => events.lines.filter((line) => line.startsWith('2 ')).slice(4);
const delivered = (): string[] => events.lines.filter((line) => line.includes('delivered'));

afterEach(async () => {
  clients.dispose();
  await server.stop();
});

test('a client echoes to itself and whispers to the others in the room', async () => {
  await serve();
  clients.echo?.(2, 5);
  await events.seen('2 delivered 5');
  clients.whisper?.(2, 'bench', 7);
  await events.seen('3 delivered 7');
  expect(delivered()).toEqual(['2 delivered 5', '3 delivered 7']);
});

test('nothing is said for a client that is away, not even when it is back', async () => {
  await serve();
  await back(() => {
    clients.echo?.(2, 5);
    clients.whisper?.(2, 'bench', 7);
  });
  clients.echo?.(2, 11);
  await events.seen('2 delivered 11');
  expect(delivered()).toEqual(['2 delivered 11']);
});

test('a client that is not recovered has to join again', async () => {
  await serve();
  await back(() => undefined);
  expect(ofFirst()).toEqual(['2 opened', '2 resumed false', '2 ready']);
  expect(server.io.sockets.adapter.rooms.get('bench')).toBeUndefined();
  clients.subscribe(2, 'bench');
  await events.seen('2 subscribed bench', 2);
  expect([...server.io.sockets.adapter.rooms.get('bench')!]).toHaveLength(1);
});

test('a recovered client has what it missed, and its room', async () => {
  await serve({ connectionStateRecovery: {} });
  server.say({ m: 'seq:2' });
  for (const client of [2, 3]) await events.seen(`${client} delivered 2`);
  await back(() => server.say({ m: 'seq:3' }));
  await events.seen('2 delivered 3');
  clients.subscribe(2, 'bench');
  const returned = ['2 delivered 3', '2 opened', '2 ready', '2 resumed true', '2 subscribed bench'];
  expect(ofFirst().slice(1).sort()).toEqual(returned);
});

test('a disconnect by the server is a refusal, after which the client opens again', async () => {
  await serve();
  server.io.disconnectSockets();
  await events.seen('2 closed rejected:io server disconnect true');
  clients.open(2);
  await events.seen('2 ready', 2);
});

test('a session that the server refuses ends with its word', async () => {
  await serve();
  const refused = await socketio.libraryClients(events.setup(server.url, { headers: { 'x-key': 'bad' } }), events);
  refused.open(0);
  await events.seen('0 closed rejected:not allowed true');
  refused.dispose();
});
