import fc from 'fast-check';
import { expect, it } from 'vitest';
import { naming } from '../test/refusal.js';
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
  ['{"stream":', 'body'],
  ['', 'body'],
  ['null', 'body'],
  ['"text"', 'body'],
  ['[]', 'the body is not a JSON object'],
  ['{"data":"1"}', '"stream"'],
  ['{"stream":"","data":"1"}', '"stream"'],
  ['{"stream":"s","data":{"seq":1}}', '"data"'],
  ['{"stream":"s"}', '"data"'],
  ['{"stream":"s","data":"{seq:1}"}', '"data"'],
  ['{"stream":"s","data":""}', '"data"'],
])('says what is wrong with %s', (body, fault) => {
  expect(readBroadcast(body)).toEqual({ problem: naming(fault) });
});
