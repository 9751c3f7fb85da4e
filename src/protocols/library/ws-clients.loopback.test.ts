import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { libraryServer, type WsServer } from '../../../test/doubles/library-servers.js';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import { wsJson } from '../described.js';
import type { Clients, LibrarySetup } from '../protocol.js';

let target: WsServer;
let events: RecordingEvents;
let clients: Clients | undefined;

/** Opens client 3. */
async function opened(more: Partial<LibrarySetup> = {}): Promise<{ made: Clients; peer: WebSocket }> {
  clients = await wsJson.libraryClients(events.setup(target.url, more), events);
  clients.open(3);
  await events.seen('3 ready');
  const [peer] = target.server.clients as Set<WebSocket>;
  return { made: clients, peer: peer! };
}

beforeEach(async () => {
  events = new RecordingEvents();
  target = await libraryServer('ws-json');
});

afterEach(async () => {
  clients?.dispose();
  await target.stop();
});

test('a client echoes to itself and whispers to the others', async () => {
  const { made } = await opened();
  made.open(5);
  await events.seen('5 ready');
  made.echo?.(3, 7);
  await events.seen('3 delivered 7');
  made.whisper?.(3, 'bench', 11);
  await events.seen('5 delivered 11');
  made.echo?.(6, 13);
  expect(events.lines.filter((line) => line.includes('delivered'))).not.toContain('6 delivered 13');
});

test('a cut without a close frame is an end of stream', async () => {
  const { peer } = await opened();
  peer.terminate();
  await events.seen('3 closed end-of-stream true');
});

const ends: [string, (made: Clients, peer: WebSocket) => void, string][] = [
  ['dropped by us', (made) => made.drop(3, 'reset'), 'ours'],
  ['refused', (_, peer) => peer.send('{"type":"error","message":"no"}'), 'rejected:{"type":"error","message":"no"}'],
  ['reset', (_, peer) => (peer as unknown as { _socket: Socket })._socket.resetAndDestroy(), 'end-of-stream'],
];

test.each(ends)('what still waits when a client is %s was never sent, and stays so', async (_, end, cause) => {
  const { made, peer } = await opened({ payload: () => JSON.stringify({ m: 'x'.repeat(100_003) }) });
  peer.pause();
  for (let refused = 0; refused < 101; await new Promise(setImmediate)) if (!made.echo?.(3, 0)) refused++;
  const unsent = made.unsent?.(3) ?? 0;
  expect(unsent).toBeGreaterThan(0);
  end(made, peer);
  await events.seen(`3 closed ${cause} true`);
  expect(made.unsent?.(3)).toBe(unsent);
  made.open(3);
  await events.seen('3 ready', 2);
  expect(made.unsent?.(3)).toBe(unsent);
});

test('a target that never answers is given up after the connect timeout', async () => {
  const silent = createServer((socket) => socket.resume());
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}/ws`;
  clients = await wsJson.libraryClients(events.setup(url, { connectTimeoutMs: 53 }), events);
  clients.open(2);
  await events.seen('2 closed connect-timeout false');
  silent.close();
});

test('what is sent to a connection that vanished is read by nobody, and it stays half open to the end', async () => {
  const { made, peer } = await opened();
  made.drop(3, 'vanish');
  made.open(3);
  await events.seen('3 ready', 2);
  peer.send('{"m":"seq:7"}');
  for (const socket of target.server.clients) if (socket !== peer) socket.send('{"m":"seq:11"}');
  await events.seen('3 delivered 11');
  expect(events.lines.slice(2)).toEqual(['3 closed ours true', '3 opened', '3 ready', '3 delivered 11']);
  expect(target.server.clients.has(peer)).toBe(true);
  const ended = once(peer, 'close');
  made.dispose();
  await ended;
});
