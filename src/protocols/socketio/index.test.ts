import { expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { payloadFormat } from '../../measure/samples/payload.js';
import { numberOnly } from '../../units/slots.js';
import { protocolWith } from '../list.js';
import { socketio } from './index.js';

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
