import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readBroadcast } from './broadcast.js';

it('gives back the stream, the data to the letter, and what the data says', () => {
  const data = '{ "seq" : 7,\t"text":"żółć" }';
  const read = readBroadcast(JSON.stringify({ stream: 'news', data }));
  expect(read).toEqual({ stream: 'news', data, value: { seq: 7, text: 'żółć' } });
});

it('takes any JSON as data, null included', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.json(), (stream, data) => {
      expect(readBroadcast(JSON.stringify({ stream, data }))).toEqual({ stream, data, value: JSON.parse(data) });
    }),
  );
  expect(readBroadcast('{"stream":"s","data":"null"}')).toEqual({ stream: 's', data: 'null', value: null });
});

it.each([
  ['{"stream":', 'the body is not a JSON object'],
  ['', 'the body is not a JSON object'],
  ['null', 'the body is not a JSON object'],
  ['"text"', 'the body is not a JSON object'],
  ['[]', '"stream" is not a non-empty string'],
  ['{"data":"1"}', '"stream" is not a non-empty string'],
  ['{"stream":"","data":"1"}', '"stream" is not a non-empty string'],
  ['{"stream":"s","data":{"seq":1}}', '"data" is not a string of JSON'],
  ['{"stream":"s"}', '"data" is not a string of JSON'],
  ['{"stream":"s","data":"{seq:1}"}', '"data" is a string, but what it holds is not JSON'],
  ['{"stream":"s","data":""}', '"data" is a string, but what it holds is not JSON'],
])('says what is wrong with %s', (body, problem) => {
  expect(readBroadcast(body)).toEqual({ problem });
});
