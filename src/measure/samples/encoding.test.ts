import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asyncLaw, law } from '../../../test/law.js';
import { percentile, summarize } from './distribution.js';
import { decodeCounts, decodeSamples, encodeCounts, encodeSamples } from './encoding.js';
import { Recorder } from './recorder.js';
import { SampleSum } from './sample-sum.js';
import { eachValue, emptyTally, keptKind, type Samples, sampleCount, tallyOf, withMore } from './samples.js';

const most = 2 ** 32 - 1;
const value = fc.oneof(fc.nat({ max: 17 }), fc.integer({ min: 1000, max: 3000 }), fc.integer({ min: 0, max: most }));
const list = fc.array(value, { maxLength: 53 }).map((values) => Uint32Array.from(values).sort());
const lists = fc.array(list, { minLength: 1, maxLength: 7 });
const rawOf = (values: Uint32Array): Samples => ({ kind: 'raw', values });

function tallied(values: Uint32Array): Samples {
  return { kind: 'tally', tally: withMore(emptyTally, { values, count: values.length }) };
}

/** The sum of lists that become a tally beyond so many samples. */
function summed(all: readonly Samples[], listedAtMost: number, distinctAtMost?: number): Samples {
  const sum = new SampleSum(listedAtMost, distinctAtMost);
  for (const each of all) sum.add(each);
  return sum.finish();
}

const flat = (all: readonly Uint32Array[]): Uint32Array => Uint32Array.from(all.flatMap((each) => [...each])).sort();

describe('a tally', () => {
  it('has the figures of the list that it stands for', () =>
    law(lists, (all) => {
      const [whole, tally] = [rawOf(flat(all)), summed(all.map(rawOf), -1)];
      expect([tally.kind, sampleCount(tally)]).toEqual(['tally', sampleCount(whole)]);
      expect({ ...summarize(tally), mean: 0 }).toEqual({ ...summarize(whole), mean: 0 });
      for (const share of [0, 0.01, 0.5, 0.77, 1]) expect(percentile(tally, share)).toBe(percentile(whole, share));
      if (sampleCount(whole) > 0) expect(summarize(tally).mean).toBeCloseTo(summarize(whole).mean ?? 0, 3);
    }));

  it('gives every sample, in order', () =>
    law(list, (values) => {
      const given: number[] = [];
      eachValue(tallied(values), (us, times) => given.push(...new Array<number>(times).fill(us)));
      expect(given).toEqual([...values]);
    }));

  it('is kept whole, and called raw', () =>
    asyncLaw(list, async (values) => {
      const tally = tallied(values);
      const read = decodeSamples(await encodeSamples(tally));
      expect([read.kind, keptKind(read), sampleCount(read)]).toEqual(['tally', 'raw', values.length]);
      expect(await encodeSamples(read)).toEqual(await encodeSamples(tally));
    }));

  it('keeps how often a value occurs, beyond 32 bits', async () => {
    const tally = tallyOf(
      new Map([
        [most, 3],
        [7, 2 ** 40 + 13],
      ]),
    );
    const read = decodeSamples(await encodeSamples({ kind: 'tally', tally }));
    expect([sampleCount(read), percentile(read, 0.5), percentile(read, 1)]).toEqual([2 ** 40 + 16, 7, most]);
  });
});

/** The body of a tally that says anything: each value less the one before it and how often it occurs. */
async function bodyOf(pairs: readonly number[], count: number): Promise<Uint8Array> {
  let sum = 0;
  const values = Uint32Array.from(pairs, (each) => {
    sum += each;
    return sum;
  });
  const body = await encodeSamples(rawOf(values));
  const view = new DataView(body.buffer);
  view.setUint8(5, 4);
  view.setBigUint64(6, BigInt(count));
  view.setUint32(body.length - 4, crc32(body.subarray(0, -4)));
  return body;
}

describe('the body of a tally', () => {
  it('is read as it is told', async () => {
    const read = decodeSamples(await bodyOf([7, 3, 4, 2], 5));
    expect([read.kind, sampleCount(read), percentile(read, 0.6), percentile(read, 0.61)]).toEqual(['tally', 5, 7, 11]);
  });

  it.each([
    ['announces other samples', [7, 3, 4, 2], 6],
    ['ends in half a pair', [7, 3, 4], 3],
    ['goes beyond the largest sample', [2 ** 31, 1, 2 ** 31, 1], 2],
  ])('is refused where it %s', async (_how, pairs, count) => {
    const body = await bodyOf(pairs, count);
    expect(() => decodeSamples(body)).toThrow('a tally');
  });
});

describe('a sum of samples', () => {
  it('is a list up to a bound and a tally beyond it, in any order and grouping', async () => {
    const shuffled = lists.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    await asyncLaw(shuffled, fc.nat({ max: 101 }), fc.nat({ max: 7 }), async ([all, other], atMost, cut) => {
      const whole = summed(all.map(rawOf), atMost);
      expect(whole.kind).toBe(flat(all).length > atMost ? 'tally' : 'raw');
      const parts = [other.slice(0, cut), other.slice(cut)].map((each) => summed(each.map(rawOf), atMost));
      expect(await encodeSamples(summed(parts, atMost))).toEqual(await encodeSamples(whole));
    });
  });

  it('is a histogram where a tally would take too much memory', () => {
    const wide = Uint32Array.from({ length: 101 }, (_, at) => at * 1024);
    const near = Uint32Array.of(3, 5, 7);
    const orders = [
      [wide, near],
      [near, wide],
      [near, wide.subarray(0, 53), wide.subarray(53)],
    ];
    for (const order of orders) {
      const whole = summed(order.map(rawOf), 0, 100);
      expect([whole.kind, sampleCount(whole)]).toEqual(['histogram', wide.length + near.length]);
    }
    const halves = [tallied(wide.subarray(0, 53)), tallied(wide.subarray(53))];
    expect(summed(halves, 0, 100).kind).toBe('histogram');
    expect(summed(halves, 0, 101).kind).toBe('tally');
    expect(summed([rawOf(wide)], wide.length, 100).kind).toBe('raw');
  });
});

const numbers = fc.array(fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 0, max: most }), fc.constantFrom(0, most)), {
  maxLength: 211,
});

const rawList = (values: number[]): Samples => rawOf(Uint32Array.from(values).sort());

function histogramOf(values: number[]): Samples {
  const recorder = new Recorder(0);
  for (const value of values) recorder.record(value);
  return recorder.finish();
}

describe('encodeSamples', () => {
  it('is undone by decodeSamples', () =>
    asyncLaw(numbers, async (values) => {
      const samples = rawList(values);
      expect(decodeSamples(await encodeSamples(samples))).toEqual(samples);
    }));

  it.each([[[]], [[0]], [[most]], [[most, most, 0, 0]], [[127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 2 ** 28]]])(
    'keeps %j',
    async (values) => {
      expect(decodeSamples(await encodeSamples(rawList(values)))).toEqual(rawList(values));
    },
  );

  it('keeps a histogram, every count of it', () =>
    asyncLaw.with({ numRuns: 29 }, numbers, async (values) => {
      const samples = histogramOf([3, ...values]);
      const decoded = decodeSamples(await encodeSamples(samples));
      if (samples.kind !== 'histogram' || decoded.kind !== 'histogram') throw new Error('raw');
      expect(decoded.histogram.countsArrayLength).toBe(samples.histogram.countsArrayLength);
      const countsOf = ({ histogram }: typeof samples): number[] =>
        Array.from({ length: histogram.countsArrayLength }, (_, index) => histogram.getCountAtIndex(index));
      expect(countsOf(decoded)).toEqual(countsOf(samples));
    }));

  it('keeps a histogram count above 2^32', async () => {
    const samples = histogramOf([7]);
    if (samples.kind !== 'histogram') throw new Error('raw');
    samples.histogram.recordValueWithCount(11, 2 ** 40);
    const decoded = decodeSamples(await encodeSamples(samples));
    expect(decoded.kind === 'histogram' && decoded.histogram.getCountAtIndex(11)).toBe(2 ** 40);
  });

  it('is read from the middle of a larger buffer', async () => {
    const body = await encodeSamples(rawList([3, 5, 1009]));
    const larger = new Uint8Array(body.length + 10);
    larger.set(body, 7);
    expect(decodeSamples(larger.subarray(7, 7 + body.length))).toEqual(rawList([3, 5, 1009]));
  });

  it('stays under 3 MB for 1.2 M latencies', async () => {
    const values = new Uint32Array(1_200_000);
    // Log-normal with median 5 ms and a tail to 2 s, by quantiles: sums of 12 uniform steps stand for the normal.
    let state = 7;
    const random = (): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    for (let index = 0; index < values.length; index++) {
      let normal = -6;
      for (let step = 0; step < 12; step++) normal += random();
      values[index] = Math.min(5000 * Math.exp(1.25 * normal), 2_000_000);
    }
    const body = await encodeSamples({ kind: 'raw', values: values.sort() });
    expect(body.length).toBeLessThan(3_000_000);
    expect(body.length).toBeGreaterThan(10_000);
  });
});

it('encodeCounts is undone by decodeCounts, order and all', () =>
  asyncLaw(numbers, async (values) => {
    const counts = Uint32Array.from(values);
    expect(decodeCounts(await encodeCounts(counts))).toEqual(counts);
  }));

describe('a wrong body', () => {
  it('is refused wherever it is cut off or damaged', async () => {
    const bodies = await Promise.all([
      encodeSamples(rawList([3, 5, 7, 1009])),
      encodeSamples(histogramOf([3, 5, 7, 1009])),
      encodeCounts(Uint32Array.of(7, 0, 13)),
    ]);
    for (const body of bodies) {
      for (let at = 0; at < body.length; at++) {
        const cut = body.subarray(0, at);
        const damaged = body.map((byte, index) => (index === at ? byte ^ 0x10 : byte));
        for (const wrong of [cut, damaged]) {
          expect(() => decodeSamples(wrong)).toThrow(/sample body/);
          expect(() => decodeCounts(wrong)).toThrow(/sample body/);
        }
      }
      const longer = new Uint8Array(body.length + 1);
      longer.set(body);
      expect(() => decodeSamples(longer)).toThrow(/checksum/);
    }
  });

  it('is refused when it is something else', async () => {
    expect(() => decodeSamples(Buffer.from('{"error":"not found"}'))).toThrow(/does not begin/);
    expect(() => decodeCounts(new Uint8Array(0))).toThrow(/does not begin/);
    await expect(encodeCounts(Uint32Array.of(7)).then(decodeSamples)).rejects.toThrow(/holds no samples/);
    await expect(encodeSamples(rawList([7])).then(decodeCounts)).rejects.toThrow(/holds no counts/);
  });
});
