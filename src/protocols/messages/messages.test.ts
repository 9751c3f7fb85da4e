import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { law } from '../../../test/law.js';
import { payloadFormat } from '../../measure/samples/payload.js';
import type { Description } from './description.js';
import { descriptionFaults } from './description.js';
import { describedProtocol } from './index.js';
import { Template, type Written } from './template.js';

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

const sound: Description = {
  hello: ['{"token":"{token}"}', { hex: '00' }],
  ready: '"welcome"',
  subscribe: { send: '{"op":"join","room":"{stream}"}', confirmed: '"op":"joined"' },
  publish: { send: '{"op":"say","id":{n},"text":"{data}"}', acked: '"ok":{n}' },
  echo: { send: '{"ping":{n}}', match: '"pong":{n}' },
  whisper: { send: '{"op":"whisper","text":"{data}"}' },
  heartbeat: [{ every: '25s', send: '2' }, { received: '2', send: '3' }, { begins: '{"type":"ping"' }],
};

test('a sound description has no faults', () => expect(descriptionFaults(sound, ['token'])).toEqual([]));

describe('a fault is told at its place', () => {
  const cases: [string, Record<string, unknown>, string[]][] = [
    ['an unknown slot', { hello: '{"token":"{jwt}"}' }, ['hello']],
    ['an unknown key', { subscribes: {} }, ['subscribes']],
    ['no confirmation', { subscribe: { send: 'join' } }, ['subscribe.confirmed']],
    ['no data', { publish: { send: '{"op":"say"}' } }, ['publish.send']],
    ['no data in a body', { publish: { post: 'http://a.test/', json: { room: '{stream}' } } }, ['publish.send']],
    ['no body', { publish: { post: 'http://a.test/' } }, ['publish']],
    ['a number that no send has', { publish: { send: '{data}', match: '"n":{n}' } }, ['publish.send']],
    ['an answer by nothing', { whisper: { send: '{data}', match: 'x' }, publish: undefined }, ['whisper.match']],
    ['a number without an answer', { echo: { send: '{"ping":{n}}' } }, ['echo']],
    ['an answer in order to marked data', { echo: { send: '{data}', match: 'pong' } }, ['echo.match']],
    ['too little before a number', { echo: { send: '{n}', match: ':{n}' } }, ['echo.match']],
    ['bytes that are none', { ready: { hex: 'xyz' } }, ['ready']],
    ['a heartbeat too often', { heartbeat: { every: '1ms', send: '2' } }, ['heartbeat.every']],
    ['an ack that deliveries are, too', { publish: { send: '{data}', acked: '{data}' } }, ['publish.acked']],
    ['whispers to nobody', { subscribe: undefined }, ['whisper']],
  ];
  test.each(cases)('%s', (_, change, keys) =>
    expect(descriptionFaults({ ...sound, ...change }, ['token']).map(({ key }) => key)).toEqual(keys),
  );
});

const data = format.text(0, 1009);

const slots = (name: string) => ({ client: '7', room: 'a "b"', stream: 'ring' })[name];

const filled = (written: Written) => new Template(written).of(slots).with(data);

test('data stands as it is, and in a string of JSON, or among bytes, as its marker alone', () => {
  expect(filled('{"payload":{data}}')).toBe(`{"payload":${data}}`);
  const alone = filled('{"text":"{data}"}') as string;
  const { text } = JSON.parse(alone);
  expect(text).toHaveLength(61);
  expect([format.sequenceOf(text), format.sequenceOf(alone)]).toEqual([1009, 1009]);
  expect(JSON.parse(filled('{"text":"{json}"}') as string)).toEqual({ text: data });
  expect(filled('{"payload":{json}}')).toBe(`{"payload":${data}}`);
  expect(Buffer.from(filled({ hex: '93 01 {data} ff' })).toString('latin1')).toBe(`\x93\x01${text}\xff`);
  expect(Buffer.from(filled({ base64: 'kwE={data}' })).toString('latin1')).toBe(`\x93\x01${text}`);
});

test('values of a client are escaped where they stand in a string of JSON', () => {
  expect(filled('{"op":"join","room":"{room}","n":{client}}')).toBe('{"op":"join","room":"a \\"b\\"","n":7}');
  expect(filled('join {room}')).toBe('join a "b"');
  expect(Buffer.from(filled({ hex: '{room}' })).toString()).toBe('a "b"');
});

test('every number of a send has ten digits', () =>
  law(fc.integer({ min: 0, max: 999_999_999 }), (sequence) => {
    const text = new Template('{"ping":{n}}').of(slots).with(format.text(0, sequence)) as string;
    expect(JSON.parse(text)).toEqual({ ping: 1_000_000_000 + sequence });
  }));

test.each([{ hex: '0' }, { hex: 'xy' }, { hex: '0{data}0' }, { base64: 'a{data}' }, { base64: '?' }])(
  '%j has no bytes',
  (written) => {
    expect(() => new Template(written)).toThrow(RangeError);
  },
);
