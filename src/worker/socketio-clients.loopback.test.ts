import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Namespace, Server, type Socket } from 'socket.io';
import { afterEach, describe, expect, it } from 'vitest';
import { Heard, type RecordingEvents } from '../../test/doubles/session-recorders.js';
import { jobBody } from '../../test/stage/job-body.js';
import { payloadFormat } from '../measure/samples/payload.js';
import type { Clients } from '../protocols/protocol.js';
import { parseJob } from '../scenarios/job.js';
import { clientKinds } from '../scenarios/load-options.js';
import { openClients } from './clients.js';

const stream = 'ringside-7b39ba6e';
const format = payloadFormat('7b39ba6e', 200);
const data = (sequence: number): { m: string } => JSON.parse(format.text(0, sequence)) as { m: string };

let http: HttpServer;
let io: Server;
let clients: Clients | undefined;

/** A server as its user wrote it: not one of ours. */
async function serve(name: string, event: string, confirmation: unknown[] = []): Promise<Namespace> {
  http = createServer();
  io = new Server(http, { connectionStateRecovery: {} });
  const namespace = io.of(name);
  namespace.use((socket, next) => {
    const { token } = socket.handshake.auth;
    next(token === 'bad-11' ? new Error('no such token') : undefined);
  });
  namespace.on('connection', (socket) => {
    socket.on('join', async (room: string, confirm: (...answer: unknown[]) => void) => {
      await socket.join(room);
      confirm(...confirmation);
    });
    socket.on('echo', (told: unknown, answer: (...told: unknown[]) => void) => answer(told, Buffer.from('attached')));
    socket.on('whisper', (room: string, told: unknown) => void socket.to(room).emit(event, told));
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return namespace;
}

async function open(client: string, protocolOptions: Record<string, unknown>, query = ''): Promise<Heard> {
  const wsUrls = [`ws://127.0.0.1:${(http.address() as AddressInfo).port}${query}`];
  const what = { scenario: 'latency', protocol: 'socketio', protocolOptions, stream, options: {} };
  const job = parseJob(jobBody({ ...what, wsUrls, load: { client } }));
  const events = new Heard();
  clients = await openClients(job, format, { first: 11, capacity: 3 }, events);
  return events;
}

async function subscribed(events: RecordingEvents, client: number): Promise<void> {
  clients?.open(client);
  await events.seen(`${client} ready`);
  clients?.subscribe(client, stream);
  await events.seen(`${client} subscribed ${stream}`);
}

/** Waits for a delivery behind which nothing can come. */
const heardLast = ({ heard }: Heard, last: string) => expect.poll(() => heard, { timeout: 30_000 }).toContain(last);

afterEach(async () => {
  clients?.dispose();
  await io.close();
});

describe.each(clientKinds)('%s clients of a user’s Socket.IO server', (kind) => {
  it('count its events, in whatever shape they carry the data, and nothing else', async () => {
    const bytes = Buffer.from('attached');
    const room = (await serve('/', 'message', [bytes])).to(stream);
    const events = await open(kind, {});
    await subscribed(events, 0);
    room.emit('message', data(2), bytes, { more: bytes });
    room.emit('news', bytes, data(3));
    room.emit('news', data(5));
    room.emit('message', bytes, { deep: [{ each: data(7) }] });
    room.emit('message', 7, null, JSON.stringify(data(11)));
    room.emit('message', Buffer.from(JSON.stringify(data(13))));
    room.emit('message', [data(17), data(19)]);
    room.emit('message', { of: 'somebody else' }, bytes);
    const [socket] = await room.fetchSockets();
    (io.sockets.sockets.get(socket?.id ?? '') as Socket).emit('message', data(23), () => undefined);
    (io.sockets.sockets.get(socket?.id ?? '') as Socket).emit('question', bytes, () => undefined);
    room.emit('message', data(29));
    await heardLast(events, '0:29');
    expect(events.heard).toEqual(['0:2', '0:7', '0:11', '0:17', '0:23', '0:29']);
    expect(events.lines).toEqual(['0 opened', '0 ready', `0 subscribed ${stream}`]);
  });

  it('join a namespace with auth of their own, hear its event, echo and whisper', async () => {
    const namespace = await serve('/chat', 'caf\u00e9');
    const told: unknown[] = [];
    namespace.on('connection', ({ handshake: { auth, query } }) => told.push([auth, query.room, query.EIO]));
    const options = { socketioNamespace: '/chat', socketioEvent: 'caf\u00e9' };
    const events = await open(kind, { ...options, socketioAuth: '{"token":"t-{client}"}' }, '?room={client}&EIO=3');
    await subscribed(events, 0);
    await subscribed(events, 1);
    expect(told).toEqual([
      [{ token: 't-11' }, '11', '4'],
      [{ token: 't-12' }, '12', '4'],
    ]);
    namespace.to(stream).emit('message', data(2));
    io.emit('caf\u00e9', data(3));
    clients?.echo?.(0, 5);
    await heardLast(events, '0:5');
    clients?.whisper?.(0, stream, 7);
    await heardLast(events, '1:7');
    namespace.to(stream).emit('caf\u00e9', data(11));
    await heardLast(events, '1:11');
    await heardLast(events, '0:11');
    expect(events.heard.toSorted()).toEqual(['0:11', '0:5', '1:11', '1:7']);
  });

  it('come back to their namespace recovered, with their auth', async () => {
    const namespace = await serve('/chat', 'message');
    const tokens: unknown[] = [];
    namespace.use((socket, next) => {
      tokens.push(socket.handshake.auth.token);
      next();
    });
    const events = await open(kind, { socketioNamespace: '/chat', socketioAuth: '{"token":"t-{client}"}' });
    await subscribed(events, 0);
    namespace.to(stream).emit('message', data(2), Buffer.from('attached'));
    await heardLast(events, '0:2');
    for (const socket of namespace.sockets.values()) socket.conn.close();
    await events.seen('0 closed close-code:1005 true');
    namespace.to(stream).emit('message', data(3));
    clients?.open(0);
    await events.seen('0 resumed true');
    await heardLast(events, '0:3');
    // Recovery leaves the middlewares out by default.
    expect(tokens).toEqual(['t-11']);
    expect(events.heard).toEqual(['0:2', '0:3']);
  });

  it.each([
    [{ socketioAuth: '{"token":"bad-{client}"}' }, 'no such token'],
    [{ socketioNamespace: '/nowhere' }, 'Invalid namespace'],
  ])('tell why they are refused: %j', async (options, word) => {
    await serve('/', 'message');
    const events = await open(kind, options);
    clients?.open(0);
    await events.seen(`0 closed rejected:${word} true`);
  });

  it('complete a path that the user chose', async () => {
    await serve('/', 'message');
    io.path('/live');
    io.attach(http);
    const events = await open(kind, {}, '/live?token=7');
    await subscribed(events, 0);
  });
});
