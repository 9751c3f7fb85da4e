import { expect, it } from 'vitest';
import { named } from '../../test/refusal.js';
import { type Demand, digestOf, overLimits, partFrom, partOfBody, rangeFrom } from './bodies.js';

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

it('a digest is the SHA-256 in hexadecimal', () => {
  // FIPS 180-4, the example of one block.
  expect(digestOf(Buffer.from('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

const demand: Demand = {
  ...{ clients: 101, broadcasts: 7, publishesPerSecond: 97, payloadBytes: 211, durationMs: 5003 },
} as Demand;
const limits = { clients: 53, publishesPerSecond: 97, payloadBytes: 211, durationMs: 5003 };

it('names all that a shard does not take of a job, and nothing that it takes exactly', () => {
  expect(overLimits(demand, 53, limits)).toEqual([]);
  const sends = { ...demand, sends: { perSecond: 3, deliveriesPerSecond: 0 } } as Demand;
  const less = { ...limits, payloadBytes: 199, durationMs: 5000 };
  expect(overLimits(sends, 54, less, 'there: ')).toEqual([
    named('overLimit', 'there:', 'clients', 53, 54),
    named('overLimit', 'there:', 'sends', 97, 100),
    named('overLimit', 'there:', 'payload', 199, 211),
    named('overLimit', 'there:', 'planned', 5000, 5003),
  ]);
});

it('has a bound on the broadcasts of a run, which a rate and a duration can make as many as they like', () => {
  const many = overLimits({ ...demand, broadcasts: 16_777_217 } as Demand, 53, limits);
  expect(many).toEqual([named('overLimit', 'broadcasts', 16_777_216, 16_777_217)]);
});
