import { expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { payloadFormat } from '../../measure/samples/payload.js';
import type { Description } from './description.js';
import { describedProtocol } from './index.js';

const format = payloadFormat('0badcafe', 61);
const own = { name: 'mine', summary: 'a server of a test', subprotocols: [], defaultPath: '/' };
const values = (name: string) => (name === 'token' ? 't-7' : name === 'client' ? '7' : undefined);

function opened(description: Description) {
  const sink = new RecordingSink();
  const protocol = describedProtocol(own, description);
  const session = protocol.session(sink, {}, values);
  session.opened('');
  const hears = (text: string): string[] => {
    session.received(Buffer.from(text));
    return sink.take();
  };
  return { protocol, sink, session, hears };
}

test('a client says hello, and subscribes once the server is ready', () => {
  const { sink, session, hears } = opened({
    hello: ['{"token":"{token}"}', 'hi'],
    ready: '"welcome"',
    subscribe: { send: '{"join":"{stream}"}', confirmed: '"joined":"{stream}"' },
  });
  expect(sink.take()).toEqual(['sent {"token":"t-7"}', 'sent hi']);
  expect(hears('{"type":"news"}')).toEqual([]);
  expect(hears('{"type":"welcome"}')).toEqual(['ready']);
  session.subscribe('a');
  session.subscribe('b');
  expect(sink.take()).toEqual(['sent {"join":"a"}', 'sent {"join":"b"}']);
  expect(hears('{"joined":"b"}')).toEqual(['subscribed b']);
  expect(hears('{"joined":"a"}')).toEqual(['subscribed a']);
  session.opened('');
  expect(sink.take()).toEqual(['sent {"token":"t-7"}', 'sent hi']);
});

test('a server that needs no asking confirms before or after', () => {
  const { session, sink, hears } = opened({ subscribe: { confirmed: 'joined' } });
  sink.take();
  expect(hears('joined')).toEqual([]);
  session.subscribe('a');
  expect(sink.take()).toEqual(['subscribed a']);
});

test('answers without a number belong to sends in their order, and to none before', () => {
  const { session, sink, hears } = opened({ echo: { send: 'ping', match: 'pong' } });
  sink.take();
  expect(hears('pong')).toEqual([]);
  for (const sequence of [3, 5]) session.echo?.(format.text(0, sequence));
  expect(sink.take()).toEqual(['sent ping', 'sent ping']);
  expect(['pong', 'news', 'pong'].flatMap(hears)).toEqual(['delivered 3', 'delivered 5']);
});

test('answers to publishes are found by their number, or in order', () => {
  for (const [acked, answers] of [
    ['"ok":{n}', ['{"ok":1000000005}', '{"ok":1000000003}']],
    ['"ok"', ['{"ok":1}', '{"ok":1}']],
  ] as const) {
    const { session, sink, hears } = opened({ publish: { send: '{"id":{n},"text":"{data}"}', acked } });
    sink.take();
    for (const sequence of [3, 5]) session.broadcast?.('a', format.text(0, sequence));
    sink.take();
    const order = acked === '"ok"' ? [3, 5] : [5, 3];
    expect(answers.flatMap(hears)).toEqual(order.map((sequence) => `acknowledged ${sequence}`));
  }
});

test('a described protocol has the verbs of its messages, and publishes by clients if they do', () => {
  const { protocol } = opened({
    subscribe: { send: 'join', confirmed: 'joined' },
    publish: { send: '{data}', acked: 'ok' },
    echo: { send: 'ping' },
  });
  expect(protocol.verbs).toEqual(['subscribe', 'echo', 'broadcast', 'acknowledge']);
  expect(protocol.publishesByClients).toEqual({ joins: true, isAnswered: true });
  const posted = describedProtocol(own, {
    publish: { post: 'http://a.test/', json: { room: '{stream}', text: '{data}' }, headers: { 'x-key': 'k' } },
  });
  expect([posted.verbs, posted.publishesByClients]).toEqual([[], undefined]);
  const request = posted.publishing?.({}, new URL('http://a.test/say?to=all'))?.('ring', format.text(0, 7));
  expect(request).toMatchObject({ path: '/say?to=all', headers: { 'x-key': 'k' } });
  const { room, text } = JSON.parse(request?.body ?? '');
  expect([room, format.sequenceOf(text)]).toEqual(['ring', 7]);
});

test('heartbeats are sent by the tick, and answered', () => {
  const { protocol, session, sink } = opened({
    heartbeat: [
      { every: '25s', send: '2' },
      { received: 'p', send: 'q' },
    ],
  });
  sink.take();
  session.tick?.();
  expect(sink.take()).toEqual(['sent 2']);
  expect([protocol.tickMs, protocol.replies]).toEqual([25_000, [{ received: 'p', send: 'q' }]]);
});
