import { expect, test } from 'vitest';
import { RecordingSink } from '../../test/doubles/session-recorders.js';
import { numberOnly } from '../units/slots.js';
import { actioncable, rails, railsAnycable } from './anycable/index.js';
import { shootout, shootoutCable, wsJson } from './described.js';
import { describedProtocol, raw as rawProtocol } from './messages/index.js';
import type { Protocol } from './protocol.js';
import { pusher } from './pusher/index.js';

/** A session on a new connection, and what it tells and says once it hears something. */
function opened({ session: sessionOf, subprotocols }: Protocol, options: Record<string, unknown> = {}) {
  const sink = new RecordingSink();
  const session = sessionOf(sink, options, numberOnly(0));
  session.opened(subprotocols[0] ?? '');
  const hears = (...frames: string[]): string[] => {
    for (const frame of frames) session.received(Buffer.from(frame));
    return sink.take();
  };
  return { sink, session, hears };
}

const identifierOf = (stream: string) => JSON.stringify({ channel: '$pubsub', stream_name: stream });
const succeeded = (channel: string) => JSON.stringify({ event: 'pusher_internal:subscription_succeeded', channel });
test.each<[Protocol, string[], (stream: string) => string]>([
  [wsJson, [], (stream) => JSON.stringify({ type: 'subscribed', stream })],
  [
    actioncable,
    ['{"type":"welcome"}'],
    (stream) => JSON.stringify({ identifier: identifierOf(stream), type: 'confirm_subscription' }),
  ],
  [
    pusher,
    ['{"event":"pusher:connection_established","data":{"socket_id":"11.13"}}'],
    (stream) => succeeded(`private-${stream}`),
  ],
])('$name: several streams of a connection are each confirmed once', (protocol, welcome, confirmed) => {
  const { sink, session, hears } = opened(protocol);
  hears(...welcome);
  for (const stream of ['ring-0', 'ring-1']) session.subscribe(stream);
  expect(sink.take()).toHaveLength(2);
  expect(hears(confirmed('ring-0'))).toEqual(['subscribed ring-0']);
  expect(hears(confirmed('ring-1'))).toEqual(['subscribed ring-1']);
});

test.each([
  ['{"join":"{stream}"}', { post: '/', body: '{stream} {data}' }, true],
  ['{"join":"{stream}"}', { post: '/', body: '{data}' }, false],
  ['{"join":"all"}', { post: '/', body: '{stream} {data}' }, false],
  ['{"join":"{stream}"}', { send: '{stream} {data}', joins: false }, true],
  ['{"join":"{stream}"}', { send: '{stream} {data}' }, false],
  [undefined, { send: '{stream} {data}' }, false],
])('a description with subscribe %j and publish %o has streams: %s', (send, publish, hasStreams) => {
  const own = { name: 'own', summary: 'own', subprotocols: [], defaultPath: '/' };
  const { verbs } = describedProtocol(own, { subscribe: { confirmed: 'joined', ...(send && { send }) }, publish });
  expect(verbs.includes('streams')).toBe(hasStreams);
});

const stream = 'bench "1"';
const echoed = '{"type":"echo","payload":{"m":"seq:7"}}';
const channel = '"identifier":"{\\"channel\\":\\"BenchmarkChannel\\"}"';
const act = (name: string, payload: string) =>
  `{"command":"message",${channel},"data":${JSON.stringify(`{"action":"${name}","payload":"${payload}"}`)}}`;

/** Described protocols: what a client sends on each call, what then confirms its stream, and what ends it. */
test.each<
  [Protocol, string[], Partial<Record<'subscribe' | 'echo' | 'broadcast' | 'whisper', string>>, string, string[]]
>([
  [
    wsJson,
    [],
    {
      subscribe: '{"type":"subscribe","stream":"bench \\"1\\""}',
      echo: echoed,
      broadcast: '{"type":"broadcast","stream":"bench \\"1\\"","data":"{\\"m\\":\\"seq:11\\"}"}',
      whisper: '{"type":"whisper","stream":"bench \\"1\\"","payload":{"m":"seq:13"}}',
    },
    '{"type":"subscribed","stream":"bench \\"1\\""}',
    ['{"type":"error","message":"too many streams"}'],
  ],
  [
    shootout,
    [],
    {
      subscribe: '{"type":"echo","payload":{"stream":"bench \\"1\\""}}',
      echo: echoed,
      broadcast: '{"type":"broadcast","payload":{"m":"seq:11"}}',
    },
    '{"payload":{"stream":"bench \\"1\\""},"type":"echo"}',
    [],
  ],
  [
    shootoutCable,
    [`{"command":"subscribe",${channel}}`],
    { echo: act('echo', 'seq:7xxxxxxxx'), broadcast: act('broadcast', 'seq:11xxxxxxxx') },
    `{${channel},"type":"confirm_subscription"}`,
    [`{${channel},"type":"reject_subscription"}`, '{"type":"disconnect"}'],
  ],
])('$name: a client speaks as its description says', (protocol, hello, said, confirmed, refusals) => {
  const { sink, session, hears } = opened(protocol);
  const up = hello.length > 0 ? hello.map((text) => `sent ${text}`) : ['ready'];
  expect(sink.take()).toEqual(up);
  // Over the cable, the confirmation of its channel makes it ready.
  if (hello.length > 0) expect([...hears('{"type":"welcome"}'), ...hears(confirmed)]).toEqual(['ready']);
  session.subscribe(stream);
  const asked = said.subscribe === undefined ? [`subscribed ${stream}`] : [`sent ${said.subscribe}`];
  expect(sink.take()).toEqual(asked);
  if (said.subscribe !== undefined) expect(hears(confirmed)).toEqual([`subscribed ${stream}`]);
  session.echo?.('{"m":"seq:7"}');
  session.broadcast?.(stream, '{"m":"seq:11"}');
  session.whisper?.(stream, '{"m":"seq:13"}');
  const { echo, broadcast, whisper } = said;
  expect(sink.take()).toEqual([echo, broadcast, whisper].flatMap((text) => (text === undefined ? [] : `sent ${text}`)));
  // What comes back of it, and what others say, is nothing to the session.
  const others = ['{"m":"hello"}', '[1,2,3]', '42', 'null', '"text"', '[1,2', '{"type":"echo","payload":null}'];
  expect([...others, ...(echo === undefined ? [] : [echo])].flatMap((text) => hears(text))).toEqual([]);
  expect(refusals.flatMap((text) => hears(text))).toEqual(refusals.map((text) => `refused ${text.slice(0, 80)}`));
  session.opened('');
  expect(sink.take()).toEqual(up);
});

const identifier = String.raw`"identifier":"{\"channel\":\"BenchmarkChannel\",\"stream_name\":\"bench\"}"`;
const welcome = '{"type":"welcome"}';
const confirmed = `{${identifier},"type":"confirm_subscription"}`;

test('rails: the stream is a parameter of the channel, which confirms', () => {
  const { sink, session, hears } = opened(rails);
  expect(hears(welcome)).toEqual(['ready']);
  session.subscribe('bench');
  expect(sink.take()).toEqual([`sent {"command":"subscribe",${identifier}}`]);
  expect(hears(confirmed)).toEqual(['subscribed bench']);
  expect(hears(`{${identifier},"message":{"action":"broadcast","payload":{"m":"of somebody else"}}}`)).toEqual([]);
});

test('rails: the channel and its parameter are those of the server', () => {
  const options = { railsChannel: 'Chat::RoomChannel', railsParameter: 'room' };
  const { sink, session, hears } = opened(rails, options);
  session.subscribe('bench');
  const own = String.raw`"identifier":"{\"channel\":\"Chat::RoomChannel\",\"room\":\"bench\"}"`;
  expect(sink.take()).toEqual([`sent {"command":"subscribe",${own}}`]);
  expect(hears(`{${own},"type":"confirm_subscription"}`)).toEqual(['subscribed bench']);
});

test.each(['benchmark', 'Chat.Room', ''])('rails: a channel is a class of Ruby, which %j is not', (railsChannel) =>
  expect(rails.options?.safeParse({ railsChannel }).success).toBe(false),
);

test('rails: echo and broadcast are actions, their payload as it is', () => {
  const { sink, session, hears } = opened(rails);
  session.subscribe('bench');
  hears(confirmed);
  sink.take();
  session.echo?.('{"m":"seq:7"}');
  session.broadcast?.('bench', '{"m":"seq:11"}');
  const said = ['{"action":"echo","payload":{"m":"seq:7"}}', '{"action":"broadcast","payload":{"m":"seq:11"}}'];
  expect(sink.take()).toEqual(
    said.map((data) => `sent {"command":"message",${identifier},"data":${JSON.stringify(data)}}`),
  );
});

test('rails: echoes without a subscription wait for one of their own', () => {
  const { sink, session, hears } = opened(rails);
  expect(session.echo?.('{"m":"seq:5"}')).toBe(true);
  expect(session.echo?.('{"m":"seq:7"}')).toBe(true);
  const own = identifier.replace('bench', 'echo');
  expect(sink.take()).toEqual([`sent {"command":"subscribe",${own}}`]);
  const said = (number: number) =>
    `sent {"command":"message",${own},"data":${JSON.stringify(`{"action":"echo","payload":{"m":"seq:${number}"}}`)}}`;
  expect(hears(`{${own},"type":"confirm_subscription"}`)).toEqual(['subscribed echo', said(5), said(7)]);
  session.echo?.('{"m":"seq:11"}');
  expect(sink.take()).toEqual([said(11)]);
});

test('rails: Action Cable resumes nothing; behind AnyCable a return asks for what it missed', () => {
  for (const [protocol, history, answer] of [
    [rails, '', [confirmed]],
    [
      railsAnycable,
      ',"history":{"streams":{"bench":{"offset":7,"epoch":"JdRD"}}}',
      [confirmed, `{"type":"confirm_history",${identifier}}`],
    ],
  ] as const) {
    const { sink, session, hears } = opened(protocol);
    session.subscribe('bench');
    hears(welcome, confirmed);
    const delivery = `{${identifier},"message":{"m":"rs:1:0000007"},"stream_id":"bench","epoch":"JdRD","offset":7}`;
    session.position?.(Buffer.from(delivery), 0, delivery.length);
    session.opened(protocol.subprotocols[0] ?? '');
    session.subscribe('bench');
    expect(sink.take()).toEqual([`sent {"command":"subscribe",${identifier}${history}}`]);
    expect(hears(...answer)).toEqual(['subscribed bench', `resumed ${protocol === railsAnycable}`]);
  }
});

test('raw: a client is up once the ping of its connection was answered, whatever else came', () => {
  const { sink, session } = opened(rawProtocol);
  session.ponged?.();
  session.received(Buffer.from('x'));
  session.subscribe('news');
  session.receivedBinary?.(Buffer.from('x'));
  expect(sink.take()).toEqual(['ready', 'ping']);
  session.ponged?.();
  session.ponged?.();
  expect(sink.take()).toEqual(['subscribed news']);
});

test('raw: a returning client asks anew', () => {
  const { sink, session } = opened(rawProtocol);
  session.subscribe('news');
  session.opened('');
  session.ponged?.();
  session.subscribe('news');
  session.ponged?.();
  expect(sink.take()).toEqual(['ready', 'ping', 'ready', 'ping', 'subscribed news']);
});
