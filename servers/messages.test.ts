import { expect, it } from 'vitest';
import { naming } from '../test/refusal.js';
import {
  channelMessage,
  confirmMessage,
  errorMessage,
  hearShootout,
  readCable,
  readMessage,
  readShootout,
  rejectMessage,
} from './messages.js';

it('reads a broadcast as the HTTP request that publishes', () => {
  const data = '{ "seq": 7 }';
  expect(readMessage(JSON.stringify({ type: 'broadcast', stream: 'news', data }))).toEqual({
    type: 'broadcast',
    stream: 'news',
    data,
    value: { seq: 7 },
  });
});

it.each([
  ['{"type":"broadcast","stream":"s","data":{"seq":7}}', '"data"'],
  ['{"type":"broadcast","data":"7"}', '"stream"'],
  ['{', 'JSON object'],
  ['null', 'JSON object'],
  ['7', 'JSON object'],
  ['{"stream":"s"}', '"type"'],
  ['{"type":"shout","stream":"s"}', '"type"'],
  ['{"type":"constructor"}', '"type"'],
  ['{"type":"subscribe"}', '"stream"'],
  ['{"type":"whisper","stream":""}', '"stream"'],
  ['{"type":"unsubscribe","stream":7}', '"stream"'],
])('says what is wrong with %s', (text, fault) =>
  expect(readMessage(text)).toEqual({ type: 'wrong', why: naming(fault) }),
);

it('writes errors as the wire shows them', () => {
  expect(errorMessage('no')).toBe('{"type":"error","message":"no"}');
});

it.each(['echo', 'broadcast'])('reads %s with its payload, whatever it is', (type) => {
  expect(readShootout(`{"payload":{"a":[1,"ż"]},"type":"${type}"}`)).toEqual({ type, payload: '{"a":[1,"ż"]}' });
  expect(readShootout(`{"type":"${type}"}`)).toEqual({ type, payload: 'null' });
});

it.each([
  ['{', 'JSON object'],
  ['7', 'JSON object'],
  ['{"type":"shout"}', '"type"'],
  ['{"payload":7}', '"type"'],
])('says what is wrong with %s', (text, fault) =>
  expect(readShootout(text)).toEqual({ type: 'wrong', why: naming(fault) }),
);

it.each([
  [3, ['{"type":"broadcastResult","payload":7,"listenerCount":3}']],
  [undefined, ['{"type":"broadcastResult","payload":7}']],
  [false, []],
] as const)('tells the sender how many heard, where that is known: %s', (heard, expected) => {
  const said: string[] = [];
  const act = { say: (_client: null, text: string) => void said.push(text), broadcast: () => heard };
  hearShootout(act, null, '{"type":"broadcast","payload":7}');
  expect(said).toEqual(expected);
});

const identifier = '{"channel":"BenchmarkChannel"}';

const command = (values: object): string => JSON.stringify(values);

it('reads the commands of Action Cable, and the actions in them', () => {
  expect(readCable(command({ command: 'subscribe', identifier }))).toEqual({ type: 'subscribe' });
  expect(readCable(command({ command: 'subscribe', identifier: 'other' }))).toEqual({
    type: 'foreign',
    identifier: 'other',
  });
  const data = '{"action":"broadcast","payload":{"a":1}}';
  expect(readCable(command({ command: 'message', identifier, data }))).toEqual({
    type: 'broadcast',
    payload: '{"a":1}',
  });
});

it.each([
  ['{', 'command'],
  ['{"command":"whisper"}', 'command'],
  [command({ command: 'message', identifier: 'other', data: '{}' }), 'command'],
  [command({ command: 'message', identifier, data: '{}' }), '"action"'],
  [command({ command: 'message', identifier, data: '{' }), 'JSON object'],
])('says what is wrong with %s', (text, fault) =>
  expect(readCable(text)).toEqual({ type: 'wrong', why: naming(fault) }),
);

it('speaks as Action Cable does', () => {
  expect(JSON.parse(channelMessage('broadcastResult', '{"a":1}'))).toEqual({
    identifier,
    message: { action: 'broadcastResult', payload: { a: 1 } },
  });
  expect(JSON.parse(confirmMessage)).toEqual({ identifier, type: 'confirm_subscription' });
  expect(JSON.parse(rejectMessage('"x'))).toEqual({ identifier: '"x', type: 'reject_subscription' });
});
