import { expect, it } from 'vitest';
import { scenarioByName } from '../scenarios/list.js';
import { unfinishedOf } from './independent.js';

const spec = (scenario: string, metric: string) => scenarioByName(scenario)?.metrics[metric];

it('a lost delivery ranks behind those that came, at both ends of the bracket', () => {
  for (const metric of ['delivery', 'deliveryFromIntended', 'deliveryAtLeast'])
    for (const scenario of ['latency', 'throughput', 'whisper'])
      expect(unfinishedOf(spec(scenario, metric), 1009, { delivered: 1009, lost: 13 })).toBe(13);
  expect(unfinishedOf(spec('echo', 'roundTrip'), 1009, { delivered: 1009, lost: 13 })).toBe(13);
});

it('shards that time their own broadcasts alone take that part of the loss, rounded up', () => {
  expect(unfinishedOf(spec('latency', 'delivery'), 1009, { delivered: 3027, lost: 13 })).toBe(5);
  expect(unfinishedOf(spec('latency', 'delivery'), 0, { delivered: 3027, lost: 13 })).toBe(0);
});

it('answers, connects and deliveries of clients that were away have no such rank', () => {
  expect(unfinishedOf(spec('latency', 'publishAck'), 53, { delivered: 3027, lost: 13 })).toBe(0);
  expect(unfinishedOf(spec('jitter', 'delivery'), 53, { delivered: 3027, lost: 13 })).toBe(0);
});
