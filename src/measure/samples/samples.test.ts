import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asyncLaw, law } from '../../../test/law.js';
import { encodeSamples } from './encoding.js';
import { Recorder } from './recorder.js';
import { longestOf, mergeSamples, sumCauses, sumCounts, sumSeries, sumTimelines } from './sample-sum.js';
import { type Samples, sampleCount } from './samples.js';

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
  it('is the sorted whole of raw runs', () =>
    law(fc.array(raw, { maxLength: 29 }), (list) => {
      const all = list.flatMap((samples) => (samples.kind === 'raw' ? [...samples.values] : []));
      expect(mergeSamples(list)).toEqual({ kind: 'raw', values: Uint32Array.from(all).sort() });
    }));

  it('is a histogram of everything as soon as there is one', () =>
    asyncLaw(values, fc.array(values, { minLength: 1, maxLength: 5 }), async (list, others) => {
      const first = record([7, ...list], 0);
      const merged = mergeSamples([...others.map((other) => record(other, Number.POSITIVE_INFINITY)), first]);
      await expectSame(merged, record([7, ...list, ...others.flat()], 0));
    }));

  it('does not care about order or grouping', async () => {
    const shuffled = lists.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    await asyncLaw(shuffled, fc.nat({ max: 13 }), ([list, other], cut) => {
      const parts = [mergeSamples(other.slice(0, cut)), mergeSamples(other.slice(cut))];
      return expectSame(mergeSamples(parts), mergeSamples(list));
    });
  });

  it('has an identity', async () => {
    expect(mergeSamples([])).toEqual(empty);
    await asyncLaw(fc.oneof(raw, histogram), async (samples) => {
      await expectSame(mergeSamples([samples]), samples);
      await expectSame(mergeSamples([samples, empty]), samples);
      await expectSame(mergeSamples([empty, samples]), samples);
    });
  });

  it('leaves its input as it was', () => {
    law(fc.array(raw, { maxLength: 7 }), (list) => {
      const before = structuredClone(list);
      mergeSamples(list);
      expect(list).toEqual(before);
    });
    const one = record([3, 5], 0);
    mergeSamples([one, record([7], 0)]);
    expect(sampleCount(one)).toBe(2);
  });
});

const names = fc.constantFrom('reset', 'close-code:1006', 'http-status:503', 'tls:CERT_HAS_EXPIRED');
const counts = fc.dictionary(names, fc.nat({ max: 1_000_003 }));
const causes = fc.dictionary(fc.constantFrom('connect', 'close', 'publish'), counts);
const length = 11;
const series = fc.dictionary(
  fc.constantFrom('acked', 'delivered', 'missing'),
  fc.uint32Array({ minLength: length, maxLength: length, max: 1_000_003 }),
);
const timeline = fc.dictionary(
  fc.constantFrom('opened', 'closed reset', 'failed http-status:503'),
  fc.array(fc.nat({ max: 1_000_003 }), { maxLength: length }),
);

const laws = [
  ['sumCounts', sumCounts, counts],
  ['longestOf', longestOf, counts],
  ['sumCauses', sumCauses, causes],
  ['sumSeries', sumSeries, series],
  ['sumTimelines', sumTimelines, timeline],
] as unknown as [string, (list: readonly unknown[]) => unknown, fc.Arbitrary<unknown>][];

describe.each(laws)('%s', (_name, sum, each) => {
  const lists = fc.array(each, { maxLength: 7 });

  it('depends neither on order nor on how the parts are grouped', () =>
    law(lists, fc.nat({ max: 7 }), (list, at) => {
      expect(sum([sum(list.slice(at)), sum(list.slice(0, at))])).toEqual(sum(list));
    }));

  it('of nothing adds nothing', () => {
    expect(sum([])).toEqual({});
    law(each, (one) => {
      expect(sum([{}, one, {}])).toEqual(one);
    });
  });
});

it('adds counts, by cause and by place', () => {
  expect(sumCounts([{ acked: 7, late: 1 }, { acked: 5 }])).toEqual({ acked: 12, late: 1 });
  expect(sumCauses([{ close: { reset: 2 } }, { close: { reset: 3, ours: 1 }, connect: { tls: 1 } }])).toEqual({
    close: { reset: 5, ours: 1 },
    connect: { tls: 1 },
  });
  expect(sumSeries([{ acked: Uint32Array.of(1, 0, 2) }, { acked: Uint32Array.of(0, 3, 5) }])).toEqual({
    acked: Uint32Array.of(1, 3, 7),
  });
});

it('adds events second by second, of those that ended sooner none', () => {
  const parts = [{ opened: [7, 11] }, { opened: [0, 0, 5], 'closed reset': [0, 3] }, {}];
  expect(sumTimelines(parts)).toEqual({ opened: [7, 11, 5], 'closed reset': [0, 3] });
  expect(parts[0]).toEqual({ opened: [7, 11] });
});

it('leaves what it adds as it was', () => {
  const first = { acked: Uint32Array.of(1, 2) };
  const total = sumSeries([first, { acked: Uint32Array.of(3, 5) }]);
  expect([...first.acked]).toEqual([1, 2]);
  expect([...(total.acked ?? [])]).toEqual([4, 7]);
});

it('throws on series of different length under one name', () =>
  expect(() => sumSeries([{ acked: new Uint32Array(7) }, { acked: new Uint32Array(11) }])).toThrow(
    'series acked: 11 values beside 7',
  ));
