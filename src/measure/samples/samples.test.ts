import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Recorder } from './recorder.js';
import { mergeSamples } from './sample-sum.js';
import { encodeSamples, type Samples, sampleCount } from './samples.js';

const values = fc.array(fc.oneof(fc.nat({ max: 17 }), fc.integer({ min: 0, max: 2 ** 32 - 1 })), { maxLength: 53 });
const raw = values.map((list): Samples => ({ kind: 'raw', values: Uint32Array.from(list).sort() }));
const histogram = values.map((list): Samples => record(list, 0));
const lists = fc.oneof(fc.array(raw, { maxLength: 13 }), fc.array(fc.oneof(raw, histogram), { maxLength: 7 }));
const empty: Samples = { kind: 'raw', values: new Uint32Array(0) };

function record(list: readonly number[], maxRawSamples: number): Samples {
  const recorder = new Recorder(maxRawSamples);
  for (const value of list) recorder.record(value);
  // A recorder without samples is raw whatever its bound.
  return recorder.finish();
}

// Bodies are equal exactly where samples are.
async function expectSame(one: Samples, other: Samples): Promise<void> {
  expect(one.kind).toBe(other.kind);
  expect(await encodeSamples(one)).toEqual(await encodeSamples(other));
}

describe('mergeSamples', () => {
  it('is the sorted whole of raw runs', () => {
    fc.assert(
      fc.property(fc.array(raw, { maxLength: 29 }), (list) => {
        const all = list.flatMap((samples) => (samples.kind === 'raw' ? [...samples.values] : []));
        expect(mergeSamples(list)).toEqual({ kind: 'raw', values: Uint32Array.from(all).sort() });
      }),
    );
  });

  it('is a histogram of everything as soon as there is one', async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.array(values, { minLength: 1, maxLength: 5 }), async (list, others) => {
        const first = record([7, ...list], 0);
        const merged = mergeSamples([...others.map((other) => record(other, Number.POSITIVE_INFINITY)), first]);
        await expectSame(merged, record([7, ...list, ...others.flat()], 0));
      }),
    );
  });

  it('does not care about order', async () => {
    const shuffled = lists.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    await fc.assert(fc.asyncProperty(shuffled, ([list, other]) => expectSame(mergeSamples(list), mergeSamples(other))));
  });

  it('does not care about grouping', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.nat({ max: 13 }), (list, cut) => {
        const parts = [mergeSamples(list.slice(0, cut)), mergeSamples(list.slice(cut))];
        return expectSame(mergeSamples(parts), mergeSamples(list));
      }),
    );
  });

  it('has an identity', async () => {
    expect(mergeSamples([])).toEqual(empty);
    await fc.assert(
      fc.asyncProperty(fc.oneof(raw, histogram), async (samples) => {
        await expectSame(mergeSamples([samples]), samples);
        await expectSame(mergeSamples([samples, empty]), samples);
        await expectSame(mergeSamples([empty, samples]), samples);
      }),
    );
  });

  it('leaves its input as it was', () => {
    fc.assert(
      fc.property(fc.array(raw, { maxLength: 7 }), (list) => {
        const before = structuredClone(list);
        mergeSamples(list);
        expect(list).toEqual(before);
      }),
    );
    const one = record([3, 5], 0);
    mergeSamples([one, record([7], 0)]);
    expect(sampleCount(one)).toBe(2);
  });
});
