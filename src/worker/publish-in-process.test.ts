import { expect, it } from 'vitest';
import { batchAnswer } from './publish.js';

/** Of 101 broadcasts at 100 a second, which take a second, with an answer 13 ms later. */
const of = (answer: unknown) =>
  batchAnswer(JSON.stringify(answer), { length: 101, ratePerSecond: 100, answeredInMs: 1013 });

it.each([1000, 1012.9, 1014, 503])('the answer to a batch is believed that it took %d ms', (tookMs) => {
  expect(of({ published: 101, tookMs })).toEqual({ tookMs });
});

it.each([
  ['in microseconds', { published: 101, tookMs: 1_000_000 }, 'batch-time'],
  ['longer than it was waited for', { published: 101, tookMs: 1014.1 }, 'batch-time'],
  ['of one burst', { published: 101, tookMs: 0.4 }, 'batch-burst'],
  ['in less than half of its schedule', { published: 101, tookMs: 498.9 }, 'batch-burst'],
  ['of a part', { published: 100, tookMs: 1000 }, 'batch-in-part'],
  ['of no time', { published: 101 }, 'batch-answer'],
  ['of no JSON', undefined, 'batch-answer'],
])('the answer to a batch %s is none', (_, answer, cause) => {
  expect(of(answer)).toBe(`protocol-error:${cause}`);
});

it('the answer to a batch to one broadcast, or to a few at once, has no schedule to keep', () => {
  const schedule = { ratePerSecond: 1009, answeredInMs: 2 };
  const answer = (length: number) => JSON.stringify({ published: length, tookMs: 0 });
  for (const length of [1, 3]) expect(batchAnswer(answer(length), { length, ...schedule })).toEqual({ tookMs: 0 });
});
