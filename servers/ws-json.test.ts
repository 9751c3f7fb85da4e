import { expect, it } from 'vitest';
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
  ['{"type":"broadcast","stream":"s","data":{"seq":7}}', '"data" is not a string of JSON'],
  ['{"type":"broadcast","data":"7"}', '"stream" is not a non-empty string'],
  ['{', 'the message is not a JSON object'],
  ['null', 'the message is not a JSON object'],
  ['7', 'the message is not a JSON object'],
  ['{"stream":"s"}', 'the message has no known "type"'],
  ['{"type":"shout","stream":"s"}', 'the message has no known "type"'],
  ['{"type":"constructor"}', 'the message has no known "type"'],
  ['{"type":"subscribe"}', '"stream" is not a non-empty string'],
  ['{"type":"whisper","stream":""}', '"stream" is not a non-empty string'],
  ['{"type":"unsubscribe","stream":7}', '"stream" is not a non-empty string'],
])('says what is wrong with %s', (text, why) => {
  expect(readMessage(text)).toEqual({ type: 'wrong', why });
});

it('writes answers as the wire shows them', () => {
  expect(subscribedMessage('a"b')).toBe('{"type":"subscribed","stream":"a\\"b"}');
  expect(errorMessage('no')).toBe('{"type":"error","message":"no"}');
});
