import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { law } from '../../../test/law.js';
import { payloadFormat } from '../../measure/samples/payload.js';
import { numberOnly } from '../../units/slots.js';
import { protocolWith } from '../list.js';
import { socketio } from './index.js';
import { deliveryHeads, deliveryTest, dialectOf, headOf } from './packet.js';

const chat = { socketioNamespace: '/chat', socketioEvent: 'caf\u00e9 "7"' };

function isDelivery(text: string, options: Record<string, unknown> = {}): boolean {
  const bytes = Buffer.from(`4${text}4`);
  return deliveryTest(dialectOf(options))(bytes, 1, bytes.length - 1);
}

test.each([
  ...['42["message",{}]', '4217["message",{}]', '451-["message",{"_placeholder":true,"num":0}]'],
  ...['4511-/,17["message"]', '42[ "message", {}]', '42["m\\u0065ssage"]', '43999999[{}]', '461-999999[{}]'],
])('%s is a delivery', (text) => {
  expect(isDelivery(text)).toBe(true);
  expect(isDelivery(text, chat)).toBe(false);
});

test.each([{}, chat])('what begins as nearly all deliveries do is one: %o', (options) => {
  const heads = deliveryHeads(dialectOf(options));
  expect(heads.map((head) => isDelivery(`${head},{}]`, options))).toEqual(heads.map(() => true));
});

test.each([
  ...['42["messages",{}]', '42["mess', '42["m\\u0065ss', '42{"message":1}', '42/chat,["message"]', '430[{}]', '43[{}]'],
  ...['45-["message"]', '40{"sid":"message"}', '2["message"]', ''],
])('%s is none', (text) => expect(isDelivery(text)).toBe(false));

test.each(['42/chat,["café \\"7\\""]', '42/chat,17["caf\\u00e9 \\"7\\"",1]', '43/chat,999999[]'])(
  '%s is a delivery of its namespace',
  (text) => {
    expect(isDelivery(text, chat)).toBe(true);
    expect(isDelivery(text)).toBe(false);
  },
);

test('law: every part of a head is read, and where the JSON begins', () => {
  const types = fc.constantFrom(0, 1, 2, 3, 4);
  const parts = fc.tuple(types, fc.nat(23), fc.constantFrom('', '/chat', '/a/b'), fc.option(fc.nat()), fc.json());
  law(parts, fc.string(), ([plain, binaries, namespace, given, value], before) => {
    const attachments = plain === 2 || plain === 3 ? binaries : 0;
    const id = plain === 2 || plain === 3 ? given : null;
    const type = attachments > 0 ? plain + 3 : plain;
    const json = JSON.stringify([value]);
    const count = attachments > 0 ? `${attachments}-` : '';
    const text = `4${type}${count}${namespace}${namespace && ','}${id ?? ''}${json}`;
    const start = Buffer.byteLength(before);
    const bytes = Buffer.from(`${before}${text}7`);
    const { namespaceStart, namespaceEnd, bodyStart, ...head } = headOf(bytes, start, bytes.length - 1) ?? {};
    expect(head).toEqual({ type, attachments, id: id ?? -1 });
    expect(bytes.toString('utf8', namespaceStart, namespaceEnd)).toBe(namespace);
    expect(bytes.toString('utf8', bodyStart, bytes.length - 1)).toBe(json);
  });
});

const format = payloadFormat('0badcafe', 61);

const events = {
  subscribe: { emit: ['room:join', { room: '{stream}' }] },
  publish: { emit: ['chat:message', { text: '{data}' }], acked: true },
  echo: { emit: ['ping', 'x'] },
};

const options = {
  messages: JSON.stringify(events),
  socketioNamespace: '/chat',
  socketioAuth: '{"token":"t{client}"}',
};

test('events of a user are frames with an acknowledgement for each number', () => {
  const described = protocolWith('socketio', options);
  const sink = new RecordingSink();
  const session = described!.session(sink, options, numberOnly(7));
  const hears = (text: string): string[] => {
    session.received(Buffer.from(text));
    return sink.take();
  };
  session.opened('');
  expect(sink.take()).toEqual(['sent 40/chat,{"token":"t7"}']);
  expect(hears('0{"sid":"a"}')).toEqual([]);
  expect(hears('40/chat,{"sid":"b"}')).toEqual(['ready']);
  session.subscribe('ring');
  expect(sink.take()).toEqual(['sent 42/chat,0["room:join",{"room":"ring"}]']);
  expect(hears('43/chat,0[{"ok":true}]')).toEqual(['subscribed ring']);
  const data = format.text(0, 7);
  session.broadcast?.('ring', data);
  expect(sink.take()[0]).toMatch(
    /^sent 42\/chat,1000000007\["chat:message",\{"text":"ringside:0badcafe:000:000000007:x*"\}\]$/,
  );
  expect(hears('43/chat,1000000007["ok"]')).toEqual(['acknowledged 7']);
  session.echo?.(data);
  expect(sink.take()).toEqual(['sent 42/chat,1000000007["ping","x"]']);
  expect(described?.markers?.echo).toEqual({ marker: '43/chat,1', sequenceOffset: 9, sequenceDigits: 9 });
  expect(hears('44/chat,{"message":"no token"}')).toEqual(['refused 44/chat,{"message":"no token"}']);
});

test('events that are none are told by their place', () => {
  const faultsOf = (messages: object, slots: readonly string[] = []) =>
    socketio.faults?.({ messages: JSON.stringify(messages) }, slots).map(({ key }) => key);
  expect(faultsOf(events)).toEqual([]);
  expect(faultsOf({ ...events, echo: { emit: 'ping' } })).toEqual(['echo.emit']);
  expect(faultsOf({ ...events, subscribe: { emit: ['join', '{room}'] } })).toEqual(['subscribe.send']);
  expect(faultsOf({ ...events, publish: { emit: ['say', 'hello'] } })).toEqual(['publish.send']);
});

test('a verb without an event is missing', () => {
  expect(socketio.withoutVerb?.('whisper', options)?.where).toBe('in these messages');
  expect(socketio.withoutVerb?.('echo', options)).toBeUndefined();
  expect(socketio.withoutVerb?.('whisper', {})).toBeUndefined();
});
