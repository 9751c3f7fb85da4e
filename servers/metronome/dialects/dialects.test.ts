import { expect, it } from 'vitest';
import { actioncable, anycable as anycableProtocol } from '../../../src/protocols/anycable/index.js';
import { shootout as shootoutProtocol, wsJson as wsJsonProtocol } from '../../../src/protocols/described.js';
import type { Protocol } from '../../../src/protocols/protocol.js';
import { pusher as pusherProtocol } from '../../../src/protocols/pusher/index.js';
import { socketio as socketioProtocol } from '../../../src/protocols/socketio/index.js';
import { numberOnly } from '../../../src/units/slots.js';
import { Replies } from '../../../src/wire/replies.js';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { signStream } from '../../../test/sign-stream.js';
import type { Broadcast } from '../../routes.js';
import type { Dialect, DialectClient } from './dialect.js';
import { anycableDialect, shootoutDialect, socketioDialect, wsJsonDialect } from './list.js';
import { pusherDialect } from './pusher.js';

/** The double of a client: everything it was told and whatever it did, as lines. */
class FakeClient implements DialectClient {
  readonly index = 7;
  readonly forms = new Map<string, string>();
  isRefusing = false;
  lines: string[] = [];

  constructor(
    readonly subprotocol = '',
    readonly url = '/app/app-key?protocol=7',
  ) {}

  say(text: string): void {
    this.lines.push(text);
  }
  subscribe(stream: string, form: string): void {
    this.forms.set(form, stream);
  }
  unsubscribe(form: string): void {
    this.forms.delete(form);
  }
  end(code: number): void {
    this.lines.push(`ended ${code}`);
  }
  broadcast({ stream, data }: Broadcast): boolean {
    this.lines.push(`broadcast to ${stream}: ${data}`);
    return !this.isRefusing;
  }
  whisper(stream: string, text: (form: string) => string): void {
    for (const [form, other] of this.forms) if (other === stream) this.lines.push(`whispered ${text(form)}`);
  }
}

function hear(dialect: Dialect, client: FakeClient, ...texts: (string | undefined)[]): string[] {
  client.lines = [];
  for (const text of texts) dialect.hear(client, text);
  return client.lines;
}

const rows: [string, Protocol, Dialect, string][] = [
  ['ws-json', wsJsonProtocol, wsJsonDialect, 'news'],
  ['socketio', socketioProtocol, socketioDialect, 'news'],
  ['anycable', anycableProtocol, anycableDialect, 'news'],
  ['anycable, signed', anycableProtocol, anycableDialect, signStream('news', 'secret')],
  ['actioncable', actioncable, anycableDialect, 'news'],
  ['pusher', pusherProtocol, pusherDialect, 'news'],
];

it.each(rows)('%s: our session is ready, subscribed, and takes a delivery', (_name, protocol, dialect, name) => {
  const offered = new Set(protocol.subprotocols);
  const client = new FakeClient(dialect.subprotocol(offered) || '');
  expect(client.subprotocol).toBe(protocol.subprotocols[0] ?? '');
  const sink = new RecordingSink();
  const session = protocol.session(sink, {}, numberOnly(0));
  const replies = new Replies(protocol.replies);
  /** As an engine does, which answers heartbeats without a word to the session. */
  const take = (text: string) => {
    const bytes = Buffer.from(text);
    const reply = replies.to(bytes);
    if (reply === undefined) session.received(bytes);
    else if (reply.send !== undefined) dialect.hear(client, reply.send);
  };
  /** Carries talk back and forth until nobody has anything to say. */
  const converse = () => {
    for (;;) {
      const fromServer = client.lines.splice(0);
      fromServer.forEach(take);
      const fromClient = sink.lines.filter((line) => line.startsWith('sent '));
      sink.lines = sink.lines.filter((line) => !line.startsWith('sent '));
      for (const line of fromClient) dialect.hear(client, line.slice('sent '.length));
      if (fromServer.length === 0 && fromClient.length === 0) return;
    }
  };
  dialect.greet(client);
  session.opened(client.subprotocol);
  converse();
  session.subscribe(name);
  converse();
  expect(sink.take()).toEqual(['ready', `subscribed ${name}`]);
  expect([...client.forms.values()]).toEqual(['news']);
  const spoken = { stream: 'news', data: '{ "m": "x" }', value: { m: 'x' }, offset: 3 };
  for (const form of client.forms.keys()) {
    const delivery = dialect.delivery(spoken, form);
    expect(delivery.replaceAll('\\', '')).toMatch(/"m": ?"x"/);
    session.received(Buffer.from(delivery));
  }
  if (dialect.heartbeat !== undefined) take(dialect.heartbeat.text());
  converse();
  expect(sink.take()).toEqual([]);
});

it('ws-json: echoes, whispers to others, and answers what it can not read', () => {
  const client = new FakeClient();
  expect(hear(wsJsonDialect, client, '{"type":"broadcast","stream":"s","data":"[7]"}')).toEqual([
    'broadcast to s: [7]',
  ]);
  expect(hear(wsJsonDialect, client, '{"type":"echo", "n":7}')).toEqual(['{"type":"echo", "n":7}']);
  hear(wsJsonDialect, client, '{"type":"subscribe","stream":"s"}');
  expect(hear(wsJsonDialect, client, '{"type":"whisper","stream":"s"}')).toEqual([
    'whispered {"type":"whisper","stream":"s"}',
  ]);
  hear(wsJsonDialect, client, '{"type":"unsubscribe","stream":"s"}');
  expect(client.forms.size).toBe(0);
  expect(hear(wsJsonDialect, client, undefined, '{')).toEqual([
    expect.stringContaining('binary'),
    expect.stringContaining('JSON'),
  ]);
});

it('shootout: everybody who is connected hears, and a broadcast has its result', () => {
  const client = new FakeClient();
  const session = shootoutProtocol.session(new RecordingSink(), {}, numberOnly(0));
  shootoutDialect.greet(client);
  expect([...client.forms.values()]).toEqual(['all']);
  expect(hear(shootoutDialect, client, '{"type":"broadcast","payload":{"m":"x"}}')).toEqual([
    'broadcast to all: {"m":"x"}',
    '{"type":"broadcastResult","payload":{"m":"x"}}',
  ]);
  const delivery = shootoutDialect.delivery({ stream: 'all', data: '{"m":"x"}', value: { m: 'x' }, offset: 1 }, 'all');
  expect(delivery).toBe('{"type":"broadcast","payload":{"m":"x"}}');
  session.received(Buffer.from(delivery));
  client.isRefusing = true;
  expect(hear(shootoutDialect, client, '{"type":"broadcast","payload":7}')).toEqual(['broadcast to all: 7']);
  expect(hear(shootoutDialect, client, '{"type":"echo","payload":[7]}', undefined)).toEqual([
    '{"type":"echo","payload":[7]}',
    expect.stringContaining('binary'),
  ]);
});

it('socketio: answers events, and refuses other namespaces', () => {
  const client = new FakeClient();
  expect(hear(socketioDialect, client, '40{"token":7}')).toEqual(['40{"sid":"socket-7"}']);
  expect(hear(socketioDialect, client, '40/admin,{}')).toEqual(['44/admin,{"message":"Invalid namespace"}']);
  expect(hear(socketioDialect, client, '4213["join","s"]', '42["join","t"]')).toEqual(['4313[]']);
  expect(hear(socketioDialect, client, '420["echo",{"n":7}]', '42["echo",7]')).toEqual(['430[{"n":7}]']);
  expect(hear(socketioDialect, client, '42["whisper","s",[5]]')).toEqual(['whispered 42["message",[5]]']);
  hear(socketioDialect, client, '42["leave","s"]');
  expect([...client.forms.values()]).toEqual(['t']);
  expect(hear(socketioDialect, client, '3', '41', '42["join",7]', '42["join"', '42{}', '', undefined)).toEqual([]);
});

it('anycable: prefers the extended protocol, keeps no history, rejects what names no stream', () => {
  expect(anycableDialect.subprotocol(new Set(['actioncable-v1-json', 'actioncable-v1-ext-json']))).toBe(
    'actioncable-v1-ext-json',
  );
  expect(anycableDialect.subprotocol(new Set(['graphql']))).toBe(false);
  const client = new FakeClient('actioncable-v1-ext-json');
  const identifier = '{"channel":"$pubsub","stream_name":"s"}';
  const command = (more: object) => JSON.stringify({ identifier, ...more });
  expect(
    hear(anycableDialect, client, command({ command: 'subscribe', history: {} })).map((line) => JSON.parse(line).type),
  ).toEqual(['confirm_subscription', 'reject_history']);
  expect(hear(anycableDialect, client, command({ command: 'whisper', data: 5 }))).toEqual([
    `whispered ${JSON.stringify({ identifier, message: 5 })}`,
  ]);
  const [form] = client.forms.keys();
  expect(JSON.parse(anycableDialect.delivery({ stream: 's', data: '1', value: 1, offset: 3 }, form!))).toEqual({
    identifier,
    message: 1,
    stream_id: 's',
    epoch: 'metronome',
    offset: 3,
  });
  hear(anycableDialect, client, command({ command: 'unsubscribe' }));
  expect(client.forms.size).toBe(0);
  for (const wrong of [
    '{"channel":"Chat"}',
    '{"channel":"$pubsub"}',
    '{"channel":"$pubsub","signed_stream_name":"x--y"}',
    'x',
  ])
    expect(hear(anycableDialect, client, JSON.stringify({ command: 'subscribe', identifier: wrong }))).toEqual([
      JSON.stringify({ type: 'reject_subscription', identifier: wrong }),
    ]);
  expect(hear(anycableDialect, client, '{', '7', '{"command":"pong"}', undefined)).toEqual([]);
});

it('anycable: a plain client gets no position', () => {
  const client = new FakeClient('actioncable-v1-json');
  anycableDialect.greet(client);
  expect(client.lines).toEqual(['{"type":"welcome"}']);
  hear(
    anycableDialect,
    client,
    '{"command":"subscribe","identifier":"{\\"channel\\":\\"$pubsub\\",\\"stream_name\\":\\"s\\"}"}',
  );
  const [form] = client.forms.keys();
  expect(
    Object.keys(JSON.parse(anycableDialect.delivery({ stream: 's', data: '1', value: 1, offset: 3 }, form!))),
  ).toEqual(['identifier', 'message']);
});
