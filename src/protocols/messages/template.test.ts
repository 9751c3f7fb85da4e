import fc from 'fast-check';
import { expect, test } from 'vitest';
import { payloadFormat } from '../../measure/samples/payload.js';
import { Template, type Written } from './template.js';

const format = payloadFormat('0badcafe', 61);
const data = format.text(0, 1009);
const values = (name: string) => ({ client: '7', room: 'a "b"', stream: 'ring' })[name];
const filled = (written: Written) => new Template(written).of(values).with(data);

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

test('every number of a send has ten digits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999 }), (sequence) => {
      const text = new Template('{"ping":{n}}').of(values).with(format.text(0, sequence)) as string;
      expect(JSON.parse(text)).toEqual({ ping: 1_000_000_000 + sequence });
    }),
  );
});

test.each([{ hex: '0' }, { hex: 'xy' }, { hex: '0{data}0' }, { base64: 'a{data}' }, { base64: '?' }])(
  '%j has no bytes',
  (written) => {
    expect(() => new Template(written)).toThrow(RangeError);
  },
);

test('what stands right before a slot is what it is found by', () => {
  expect(new Template('"pong":{n}}').before('n')).toBe('"pong":');
  expect(new Template('{client}{n}').before('n')).toBe('');
  expect(new Template('pong').before('n')).toBeUndefined();
});
