import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServerOptions } from 'ws';
import { type LibraryServer, libraryServer, SocketioServer } from '../../../test/doubles/library-servers.js';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import { actioncable, anycable, rails } from '../anycable/index.js';
import { shootout, wsJson } from '../described.js';
import type { Clients, Protocol } from '../protocol.js';
import { pusher } from '../pusher/index.js';
import { socketio } from '../socketio/index.js';

interface Case {
  protocol: Protocol;
  start(): Promise<LibraryServer>;
  /** What the server says: deliveries, and what is none of this run. */
  talk: (string | object)[];
  delivered: number[];
  /** Of a connection that the server ends by 4007. */
  endsBy?: string;
  wasRecovered?: boolean;
  /** Of a client that asks for a stream that the server does not know. */
  refusal?: string;
  /** How a server refuses the upgrade, and the cause of that. */
  refusing?: [ServerOptions, string];
  whispered?: object;
  /** Its library cannot be dropped while it connects and be opened again at once. */
  isOnCable?: boolean;
}

const identifier = '{"channel":"$pubsub","stream_name":"bench"}';
const cable = (...messages: unknown[]) => messages.map((message) => ({ identifier, message }));
const benchmark = (...messages: unknown[]) =>
  messages.map((message) => ({ identifier: '{"channel":"BenchmarkChannel","stream_name":"bench"}', message }));
const channel = 'private-bench';
const other = { m: 'of somebody else' };
const [two, three, five] = [2, 3, 5].map((n) => ({ m: `seq:${n}` }));
const json = JSON.stringify;
const ofCable = {
  isOnCable: true,
  start: () => libraryServer('anycable'),
  talk: cable(other, 'seq:7', two, three, five),
  delivered: [2, 3, 5],
  refusal: 'reject_subscription',
  refusing: [{ handleProtocols: () => false as const }, 'bad-upgrade:Server sent no subprotocol'],
  whispered: { command: 'whisper', identifier, data: { m: 'seq:7' } },
} satisfies Partial<Case>;

const cases: Case[] = [
  {
    protocol: wsJson,
    start: () => libraryServer('ws-json'),
    talk: [json(two), json(other), json(three), json(five)],
    delivered: [2, 3, 5],
    refusal: '{"type":"error","message":"no such stream"}',
    refusing: [{ verifyClient: (_info, answer) => answer(false, 503) }, 'http-status:503'],
  },
  {
    protocol: socketio,
    start: () => new SocketioServer().listen(),
    talk: [two!, other, three!, 'seq:7', five!],
    delivered: [2, 3, 7, 5],
    endsBy: 'close-code:1005',
    wasRecovered: false,
  },
  { protocol: anycable, ...ofCable, wasRecovered: true },
  { protocol: actioncable, ...ofCable, wasRecovered: false },
  {
    protocol: pusher,
    start: () => libraryServer('pusher'),
    talk: [
      ...[json(other), 'seq:7', 'null'].map((data) => ({ event: 'message', channel, data })),
      { event: 'news', channel, data: '{"m":"seq:11"}' },
      { event: 'message', channel: 'private-other', data: '{"m":"seq:13"}' },
      { event: 'message', channel, data: json(two) },
      { event: 'client-message', channel, data: three },
    ],
    delivered: [2, 3],
    endsBy: 'close-code:4007 do not reconnect',
    refusal: 'subscription_error',
    refusing: [{ verifyClient: () => false }, 'http-status:401'],
    whispered: { event: 'client-message', channel, data: { m: 'seq:7' } },
  },
  {
    protocol: rails,
    start: () => libraryServer('rails'),
    talk: benchmark(null, 'seq:2', { action: 'broadcast', payload: null }, { action: 'broadcastResult' }, three, five),
    delivered: [3, 5],
    wasRecovered: false,
    isOnCable: true,
  },
  {
    protocol: shootout,
    start: () => libraryServer('shootout'),
    talk: [other, two, three].map((payload) => ({ type: 'broadcast', payload })),
    delivered: [2, 3],
  },
];

describe.each(cases.map((each) => ({ name: each.protocol.name, ...each })))('clients of the library of $name', (of) => {
  let server: LibraryServer;
  let events: RecordingEvents;
  let clients: Clients;

  beforeEach(async () => {
    server = await of.start();
    events = new RecordingEvents();
    clients = await of.protocol.libraryClients(events.setup(server.url), events);
    await events.join(clients, 3, 'bench');
  });

  afterEach(async () => {
    clients.dispose();
    await server.stop();
  });

  test('open, subscribe and count the deliveries of the run alone', async () => {
    for (const talk of of.talk) server.say(talk);
    await events.seen(`3 delivered ${of.delivered.at(-1)}`);
    const delivered = of.delivered.map((sequence) => `3 delivered ${sequence}`);
    expect(events.lines).toEqual(['3 opened', '3 ready', '3 subscribed bench', ...delivered]);
  });

  test('return, and are subscribed once more', async () => {
    server.cut(4007);
    const ended = `3 closed ${of.endsBy ?? 'close-code:4007'} true`;
    await events.seen(ended);
    await events.join(clients, 3, 'bench', 2);
    if (of.wasRecovered !== undefined) await events.seen(`3 resumed ${of.wasRecovered}`);
    const resumed = of.wasRecovered === undefined ? [] : [`3 resumed ${of.wasRecovered}`];
    expect(events.lines.slice(3).sort()).toEqual([ended, '3 opened', '3 ready', ...resumed, '3 subscribed bench']);
    if (of.protocol === pusher) expect(server.said).toHaveLength(2);
  });

  test.each(['close', 'reset', 'vanish'] as const)('are dropped by %s, and open again', async (mode) => {
    clients.drop(3, mode);
    expect(events.lines.slice(3)).toEqual(['3 closed ours true']);
    clients.open(3);
    await events.seen('3 ready', 2);
    if (of.isOnCable) return;
    // While it connects, too, for the first time or again.
    for (const client of [3, 5]) {
      if (client === 3) clients.drop(client, mode);
      const before = events.lines.length;
      clients.open(client);
      clients.drop(client, mode);
      expect(events.lines.slice(before)).toEqual([`${client} closed ours false`]);
      clients.open(client);
      await events.seen(`${client} ready`, client === 3 ? 3 : 1);
      expect(events.lines.slice(before + 1)).toEqual(expect.arrayContaining([`${client} opened`, `${client} ready`]));
    }
  });

  test('leave nothing open when they are disposed of', async () => {
    const gone = server.allGone();
    clients.open(5);
    clients.dispose();
    const told = [...events.lines];
    await gone;
    await server.stop();
    expect(events.lines).toEqual(told);
  });

  test('fail to connect for a cause that is told once', async () => {
    await server.stop();
    await expect.poll(() => events.lines.at(-1), { timeout: 30_000 }).toMatch(/^3 closed/);
    events.lines.length = 0;
    for (const attempt of [1, 2]) {
      clients.open(4);
      await events.seen('4 closed connect-refused false', attempt);
    }
    const [options, cause] = of.refusing ?? [];
    await server.again(options);
    clients.open(5);
    await events.seen(cause === undefined ? '5 ready' : `5 closed ${cause} false`);
    const last = cause === undefined ? ['5 opened', '5 ready'] : [`5 closed ${cause} false`];
    expect(events.lines).toEqual([...Array(2).fill('4 closed connect-refused false'), ...last]);
  });

  test.runIf(of.refusal)('end where the server refuses their stream', async () => {
    clients.open(5);
    await events.seen('5 ready');
    clients.subscribe(5, 'other');
    await events.seen(`5 closed rejected:${of.refusal} true`);
  });

  test.runIf(of.whispered)('whisper in the words of the protocol, on streams that they have', async () => {
    expect([clients.whisper?.(3, 'another', 5), clients.whisper?.(4, 'bench', 5)]).toEqual([false, false]);
    expect(clients.whisper?.(3, 'bench', 7)).toBe(true);
    const whispers = () => server.said.filter((text) => /"whisper"|"client-message"/.test(text));
    await expect.poll(whispers, { timeout: 30_000 }).toHaveLength(1);
    expect(JSON.parse(whispers()[0]!)).toEqual(of.whispered);
    clients.drop(3, 'close');
    if (of.protocol === pusher) expect(clients.whisper?.(3, 'bench', 11)).toBe(false);
  });
});
