import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecordingSink } from '../../test/doubles/session-recorders.js';
import { law } from '../../test/law.js';
import { numberOnly } from '../units/slots.js';
import { completeAddress } from './client-options.js';
import { protocolByName } from './list.js';
import { causeInWords, openingQuote, type Protocol, textOf, unexpected } from './protocol.js';

const closeMeaning = (code: number): string | undefined => (code === 4007 ? 'go away' : undefined);

it.each([
  ['close-code:4007', 'close-code:4007 go away'],
  ['close-code:1001', 'close-code:1001'],
  ['rejected:4007', 'rejected:4007'],
  ['end-of-stream', 'end-of-stream'],
])('%s is told as %s', (cause, told) => {
  expect(causeInWords({ closeMeaning }, cause)).toBe(told);
  expect(causeInWords({}, cause)).toBe(cause);
});

it('textOf reads any bytes', () => {
  expect(textOf(Buffer.from('dépôt'))).toBe('dépôt');
  expect(textOf(Uint8Array.of(0x61, 0xff))).toBe('a\ufffd');
});

it('unexpected quotes a message within 80 characters', () => {
  expect(unexpected('boo')).toBe('unexpected message boo');
  expect(unexpected('x'.repeat(997))).toHaveLength(80);
});

const eio = 'EIO=4&transport=websocket';

const pusherQuery = 'protocol=7&client=ringside&version=1.0.0';

it.each([
  ['socketio', 'ws://a.test', `ws://a.test/socket.io/?${eio}`],
  ['socketio', 'ws://a.test/?token={client}', `ws://a.test/socket.io/?token={client}&${eio}`],
  ['socketio', 'wss://a.test/live', `wss://a.test/live/?${eio}`],
  [
    'socketio',
    'ws://a.test/socket.io/?EIO=4&a=%7Bb&transport=websocket&a=2',
    `ws://a.test/socket.io/?a=%7Bb&a=2&${eio}`,
  ],
  ['socketio', 'ws://a.test:3001/?EIO=3&transport=polling', `ws://a.test:3001/socket.io/?${eio}`],
  ['ws-json', 'ws://a.test', 'ws://a.test/ws'],
  ['ws-json', 'ws://a.test/?a=1', 'ws://a.test/ws?a=1'],
  ['ws-json', 'ws://a.test/live/', 'ws://a.test/live/'],
  ['anycable', 'ws://a.test/?jid={client}', 'ws://a.test/cable?jid={client}'],
  ['anycable', 'ws://a.test/live?jid=7', 'ws://a.test/live?jid=7'],
  ['pusher', 'ws://a.test', `ws://a.test/app/app-key?${pusherQuery}`],
  ['pusher', 'wss://a.test/live/app/k?protocol=5&a=1', `wss://a.test/live/app/k?a=1&${pusherQuery}`],
  ['shootout-cable', 'ws://a.test/', 'ws://a.test/cable'],
  ['messages', 'ws://a.test', 'ws://a.test/'],
  ['messages', 'ws://a.test/live?token={token}', 'ws://a.test/live?token={token}'],
  ['raw', 'ws://a.test/live', 'ws://a.test/live'],
])('%s completes %s', (name, address, complete) =>
  expect(completeAddress(protocolByName(name) as Protocol, address).href).toBe(complete),
);

it('the key of an app goes into the path', () => {
  const { pathname } = completeAddress(protocolByName('pusher') as Protocol, 'ws://a.test', { pusherKey: 'k-7' });
  expect(pathname).toBe('/app/k-7');
});

const identifier = JSON.stringify(JSON.stringify({ channel: '$pubsub', stream_name: 'bench' }));

const established = '{"event":"pusher:connection_established","data":{"socket_id":"7.13"}}';

it.each([
  ['ws-json', [], ['{"op":"said"}', '[7]'], ['{"type":"subscribed","stream":"bench"}']],
  ['shootout', [], ['{"op":"said"}', '[7]'], ['{"type":"echo","payload":{"stream":"bench"}}']],
  ['socketio', ['0{"sid":"a"}', '40{"sid":"b"}'], ['42["chat:msg",7]'], ['6', '430[]', '42/chat,["message",7]']],
  ['actioncable', ['{"type":"welcome"}'], [`{"identifier":${identifier},"message":{"say":7}}`], []],
  ['pusher', [established], ['{"event":"said","channel":"bench"}'], ['{"event":"pusher:pong"}', established]],
  ['raw', [], [], ['{"op":"said"}']],
])('a session of %s tells messages that it does not know from its own', (name, first, others, known) => {
  const sink = new RecordingSink();
  const session = protocolByName(name)?.session(sink, {}, numberOnly(0));
  session?.opened('');
  for (const message of first) session?.received(Buffer.from(message));
  session?.subscribe('bench');
  for (const message of [...others, ...known]) session?.received(Buffer.from(message));
  expect(sink.others).toEqual(others);
  expect(sink.lines.filter((line) => line.startsWith('refused'))).toEqual([]);
});

const text = fc.string({ unit: fc.constantFrom('"', '\\', 'a', 'é', '\u0007', ',') });

it('openingQuote finds the start of any JSON string from its end', () =>
  law(text, text, (value, before) => {
    const head = Buffer.from(`${JSON.stringify(before)},`);
    const bytes = Buffer.concat([head, Buffer.from(JSON.stringify(value))]);
    expect(openingQuote(bytes, 0, bytes.length - 1)).toBe(head.length);
    expect(openingQuote(bytes, head.length + 1, bytes.length - 1)).toBe(-1);
  }));
