import { expect, it } from 'vitest';
import { naming } from '../test/refusal.js';
import { channelMessage, confirmMessage, readCable, readShootout, rejectMessage, resultMessage } from './shootout.js';

it.each(['echo', 'broadcast'])('reads %s with its payload, whatever it is', (type) => {
  expect(readShootout(`{"payload":{"a":[1,"ż"]},"type":"${type}"}`)).toEqual({ type, payload: '{"a":[1,"ż"]}' });
  expect(readShootout(`{"type":"${type}"}`)).toEqual({ type, payload: 'null' });
});

it.each([
  ['{', 'JSON object'],
  ['7', 'JSON object'],
  ['{"type":"shout"}', '"type"'],
  ['{"payload":7}', '"type"'],
])('says what is wrong with %s', (text, fault) => {
  expect(readShootout(text)).toEqual({ type: 'wrong', why: naming(fault) });
});

it('tells how many listen where that is known', () => {
  expect(resultMessage('7', 3)).toBe('{"type":"broadcastResult","payload":7,"listenerCount":3}');
  expect(resultMessage('7')).toBe('{"type":"broadcastResult","payload":7}');
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
])('says what is wrong with %s', (text, fault) => {
  expect(readCable(text)).toEqual({ type: 'wrong', why: naming(fault) });
});

it('speaks as Action Cable does', () => {
  expect(JSON.parse(channelMessage('broadcastResult', '{"a":1}'))).toEqual({
    identifier,
    message: { action: 'broadcastResult', payload: { a: 1 } },
  });
  expect(JSON.parse(confirmMessage)).toEqual({ identifier, type: 'confirm_subscription' });
  expect(JSON.parse(rejectMessage('"x'))).toEqual({ identifier: '"x', type: 'reject_subscription' });
});
