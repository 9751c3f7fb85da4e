import { expect, it } from 'vitest';
import { type Demand, overLimits } from './limits.js';

const demand: Demand = {
  ...{ clients: 101, broadcasts: 7, publishesPerSecond: 97, payloadBytes: 211, durationMs: 5003 },
} as Demand;
const limits = { clients: 53, publishesPerSecond: 97, payloadBytes: 211, durationMs: 5003 };

it('names all that a shard does not take of a job, and nothing that it takes exactly', () => {
  expect(overLimits(demand, 53, limits)).toEqual([]);
  const sends = { ...demand, sends: { perSecond: 3, deliveriesPerSecond: 0 } } as Demand;
  const less = { ...limits, payloadBytes: 199, durationMs: 5000 };
  expect(overLimits(sends, 54, less, 'there: ').map(({ code, message }) => `${code} ${message}`)).toEqual([
    'overLimit there: clients on this shard: expected at most 53, received 54',
    'overLimit there: publishes and sends per second: expected at most 97, received 100',
    'overLimit there: payload bytes: expected at most 199, received 211',
    'overLimit there: milliseconds planned: expected at most 5000, received 5003',
  ]);
});

it('has a bound on the broadcasts of a run, which a rate and a duration can make as many as they like', () => {
  const many = overLimits({ ...demand, broadcasts: 16_777_217 } as Demand, 53, limits);
  expect(many.map(({ message }) => message)).toEqual([
    'broadcasts of one run: expected at most 16777216, received 16777217',
  ]);
});
