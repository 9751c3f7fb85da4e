import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Recorder } from './recorder.js';
import { decodeCounts, decodeSamples, encodeCounts, encodeSamples, type Samples } from './samples.js';

const max = 2 ** 32 - 1;
const numbers = fc.array(fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 0, max }), fc.constantFrom(0, max)), {
  maxLength: 211,
});
const rawOf = (values: number[]): Samples => ({ kind: 'raw', values: Uint32Array.from(values).sort() });

function histogramOf(values: number[]): Samples {
  const recorder = new Recorder(0);
  for (const value of values) recorder.record(value);
  return recorder.finish();
}

describe('encodeSamples', () => {
  it('is undone by decodeSamples', async () => {
    await fc.assert(
      fc.asyncProperty(numbers, async (values) => {
        const samples = rawOf(values);
        expect(decodeSamples(await encodeSamples(samples))).toEqual(samples);
      }),
    );
  });

  it.each([[[]], [[0]], [[max]], [[max, max, 0, 0]], [[127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 2 ** 28]]])(
    'keeps %j',
    async (values) => {
      expect(decodeSamples(await encodeSamples(rawOf(values)))).toEqual(rawOf(values));
    },
  );

  it('keeps a histogram, every count of it', async () => {
    await fc.assert(
      fc.asyncProperty(numbers, async (values) => {
        const samples = histogramOf([3, ...values]);
        const decoded = decodeSamples(await encodeSamples(samples));
        if (samples.kind !== 'histogram' || decoded.kind !== 'histogram') throw new Error('raw');
        expect(decoded.histogram.countsArrayLength).toBe(samples.histogram.countsArrayLength);
        const countsOf = ({ histogram }: typeof samples): number[] =>
          Array.from({ length: histogram.countsArrayLength }, (_, index) => histogram.getCountAtIndex(index));
        expect(countsOf(decoded)).toEqual(countsOf(samples));
      }),
      { numRuns: 29 },
    );
  });

  it('keeps a histogram count above 2^32', async () => {
    const samples = histogramOf([7]);
    if (samples.kind !== 'histogram') throw new Error('raw');
    samples.histogram.recordValueWithCount(11, 2 ** 40);
    const decoded = decodeSamples(await encodeSamples(samples));
    expect(decoded.kind === 'histogram' && decoded.histogram.getCountAtIndex(11)).toBe(2 ** 40);
  });

  it('is read from the middle of a larger buffer', async () => {
    const body = await encodeSamples(rawOf([3, 5, 1009]));
    const larger = new Uint8Array(body.length + 10);
    larger.set(body, 7);
    expect(decodeSamples(larger.subarray(7, 7 + body.length))).toEqual(rawOf([3, 5, 1009]));
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

describe('encodeCounts', () => {
  it('is undone by decodeCounts, order and all', async () => {
    await fc.assert(
      fc.asyncProperty(numbers, async (values) => {
        const counts = Uint32Array.from(values);
        expect(decodeCounts(await encodeCounts(counts))).toEqual(counts);
      }),
    );
  });
});

describe('a wrong body', () => {
  it('is refused wherever it is cut off or damaged', async () => {
    const bodies = await Promise.all([
      encodeSamples(rawOf([3, 5, 7, 1009])),
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
    await expect(encodeSamples(rawOf([7])).then(decodeCounts)).rejects.toThrow(/holds no counts/);
  });
});
