import { expect, it } from 'vitest';
import { named } from '../../test/refusal.js';
import { type Demand, digestOf, overLimits } from './job.js';

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
