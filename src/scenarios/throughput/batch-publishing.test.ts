import { expect, it } from 'vitest';
import type { PublisherContext } from '../scenario.js';
import { batchPublishing } from './batch-publishing.js';
import type { ThroughputOptions } from './options.js';

/** The way to publish at an address that takes 10 at once and answers like that, and the batches that left. */
function wayTo(answer: number | string) {
  const left: (readonly string[])[] = [];
  const together = {
    most: 10,
    publish: async (data: readonly string[]) => {
      left.push(data);
      return answer;
    },
  };
  const context = { together, payload: (sequence: number) => `m${sequence}` };
  return { way: batchPublishing(context as unknown as PublisherContext<ThroughputOptions>), left };
}

it('puts what falls due in a second into one request, but one at least and no more than it can hold', () => {
  const { way } = wayTo(200);
  expect([0.3, 1, 7.9, 10, 97].map((rate) => way.batchOf(rate))).toEqual([1, 1, 7, 10, 10]);
});

it('publishes the data of its broadcasts, all at the time of the answer', async () => {
  const { way, left } = wayTo(200);
  expect(await way.publishBatch([3, 7, 11], 4)).toEqual({ tookMs: 0 });
  expect(left).toEqual([['m3', 'm7', 'm11']]);
});

it('hands a refusal and a cause on', async () => {
  for (const answer of [199, 300, 413, 'connect-refused'])
    expect(await wayTo(answer).way.publishBatch([3], 1)).toBe(answer);
});
