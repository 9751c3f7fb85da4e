import { expect, it } from 'vitest';
import { naming } from '../test/refusal.js';
import { errorMessage, readMessage, subscribedMessage } from './ws-json.js';

it.each(['subscribe', 'unsubscribe', 'whisper'])('reads %s with its stream', (type) => {
  expect(readMessage(JSON.stringify({ type, stream: 'news', payload: 7 }))).toEqual({ type, stream: 'news' });
});

it('reads echo, which needs no stream', () => {
  expect(readMessage('{"type":"echo","payload":[2,3,5]}')).toEqual({ type: 'echo' });
});

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
])('says what is wrong with %s', (text, fault) => {
  expect(readMessage(text)).toEqual({ type: 'wrong', why: naming(fault) });
});

it('writes answers as the wire shows them', () => {
  expect(subscribedMessage('a"b')).toBe('{"type":"subscribed","stream":"a\\"b"}');
  expect(errorMessage('no')).toBe('{"type":"error","message":"no"}');
});
