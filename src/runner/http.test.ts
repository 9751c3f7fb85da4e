import { expect, it } from 'vitest';
import { partFrom, rangeFrom } from '../run/shards/partial-body.js';
import { partOfBody } from './http.js';

const body = Uint8Array.of(2, 3, 5, 7, 11);

it('the rest of a body begins at the byte that was asked for', () => {
  for (let from = 0; from < body.length; from++) {
    const { status, headers, part } = partOfBody(body, rangeFrom(from));
    expect([status, [...part], partFrom(headers['content-range'])]).toEqual([206, [...body.subarray(from)], from]);
  }
});

it('behind the last byte there is nothing, and the answer says how long the whole is', () => {
  const { status, headers, part } = partOfBody(body, rangeFrom(body.length));
  expect([status, part.length, partFrom(headers['content-range'])]).toEqual([416, 0, body.length]);
});

it.each([undefined, '', 'bytes=0-3', 'bytes=-2', 'bytes=1-,3-', 'items=1-', 'bytes=99999999999999999999-'])(
  'a range in another form (%s) gives the whole',
  (range) => expect(partOfBody(body, range)).toMatchObject({ status: 200, part: body }),
);

it.each([undefined, 'bytes', 'bytes 1-2', 'bytes */*x', 'items 1-2/5'])('%s names no part', (header) => {
  expect(partFrom(header)).toBeUndefined();
});
