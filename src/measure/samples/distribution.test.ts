import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { minSamplesBeyond, percentile, percentiles, summarize } from './distribution.js';
import { Recorder } from './recorder.js';
import type { Samples } from './samples.js';

const rawOf = (values: Iterable<number>): Samples => ({ kind: 'raw', values: Uint32Array.from(values).sort() });
const upTo = (count: number): Samples => ({ kind: 'raw', values: new Uint32Array(count).map((_, at) => at + 1) });
const micros = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 211 });

function histogramOf(values: number[]): Samples {
  const recorder = new Recorder(0);
  for (const value of values) recorder.record(value);
  return recorder.finish();
}

// By definition: the smallest sample that at least this many millionths of all samples do not exceed.
function naive(values: number[], share: number): number | undefined {
  const enough = (value: number): boolean =>
    BigInt(values.filter((each) => each <= value).length) * 1_000_000n >= BigInt(share) * BigInt(values.length);
  return values.toSorted((a, b) => a - b).find(enough);
}

describe('percentile', () => {
  it('is the nearest rank', () =>
    law(micros, fc.nat({ max: 1_000_000 }), (values, share) => {
      expect(percentile(rawOf(values), share / 1_000_000)).toBe(naive(values, share));
    }));

  it.each([
    [100, 0.07, 7],
    [100, 0.29, 29],
    [100, 0.57, 57],
    [1000, 0.999, 999],
    [100, 0.99, 99],
    [101, 0.99, 100],
    [10, 0.1 + 0.2, 3],
    [1_000_000, 0.000123, 123],
    [7, 0, 1],
    [7, 1, 7],
    [1, 0.5, 1],
    [3_000_017, 0.999, 2_997_017],
  ])('of 1 to %d at %d is %d', (count, p, value) => expect(percentile(upTo(count), p)).toBe(value));

  it('counts those behind the last sample, and is none where it falls on them', () => {
    law(micros, fc.nat({ max: 211 }), fc.nat({ max: 1_000_000 }), (values, unfinished, share) => {
      const longer = 2 ** 33;
      const expected = naive([...values, ...Array<number>(unfinished).fill(longer)], share);
      expect(percentile(rawOf(values), share / 1_000_000, unfinished)).toBe(expected === longer ? null : expected);
    });
    expect(percentile(rawOf([]), 0.5, 7)).toBeNull();
  });

  it('of a histogram is at most a thousandth above the nearest rank', () =>
    law.with({ numRuns: 53 }, micros, fc.nat({ max: 1_000_000 }), (values, share) => {
      const exact = naive(values, share) as number;
      const value = percentile(histogramOf(values), share / 1_000_000) as number;
      expect(value).toBeGreaterThanOrEqual(exact);
      expect(value - exact).toBeLessThanOrEqual(exact / 1000);
    }));

  it('is null of nothing and throws on no share', () => {
    expect(percentile(rawOf([]), 0.5)).toBeNull();
    for (const p of [-0.1, 1.1, 99, Number.NaN]) expect(() => percentile(upTo(7), p)).toThrow(RangeError);
  });
});

describe('summarize', () => {
  it('has no figures of nothing', () => {
    const nothing = { p50: null, p90: null, p95: null, p99: null, p999: null, min: null, max: null, mean: null };
    expect(summarize(rawOf([]))).toEqual({ unit: 'us', count: 0, ...nothing });
  });

  it('gives all figures of enough samples, in the order they are read', () => {
    const summary = summarize(upTo(10_007), 'ns');
    expect(JSON.stringify(summary)).toBe(
      '{"unit":"ns","count":10007,"min":1,"p50":5004,"p90":9007,"p95":9507,' +
        '"p99":9907,"p999":9997,"max":10007,"mean":5004}',
    );
  });

  it.each([
    ['p50', 10],
    ['p90', 50],
    ['p95', 100],
    ['p99', 500],
    ['p999', 5000],
  ] as const)('gives %s from %d samples on', (name, enough) => {
    expect(summarize(upTo(enough - 1))[name]).toBeNull();
    expect(summarize(upTo(enough))[name]).toBe(enough - minSamplesBeyond);
  });

  it('gives no percentile that fewer samples exceed than it asks for', () =>
    law(fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 601 }), (values) => {
      const summary = summarize(rawOf(values));
      for (const name of Object.keys(percentiles) as (keyof typeof percentiles)[]) {
        const figure = summary[name];
        if (figure === null) continue;
        expect(values.filter((value) => value > figure).length).toBeGreaterThanOrEqual(minSamplesBeyond);
      }
    }));
});

it('a summary of which some took longer has no largest and no mean, and keeps what lies below them', () => {
  const summary = summarize(upTo(970), 'us', 30);
  expect(summary).toMatchObject({ count: 970, unfinished: 30, min: 1, p50: 500, p95: 950 });
  expect([summary.p99, summary.max, summary.mean]).toEqual([null, null, null]);
  expect(summarize(upTo(970))).not.toHaveProperty('unfinished');
});

it('prints the percentiles that its independent samples carry, however many samples came of them', () => {
  const carried = (independent: number): string[] => {
    const summary = summarize(upTo(100_003), 'us', 0, independent);
    expect(summary).toMatchObject({ independent, count: 100_003, max: 100_003 });
    return Object.keys(percentiles).filter((name) => summary[name as keyof typeof percentiles] !== null);
  };
  expect([9, 10, 49, 50, 99, 100, 499, 500, 4999, 5000].map((independent) => carried(independent).length)).toEqual([
    0, 1, 1, 2, 2, 3, 3, 4, 4, 5,
  ]);
});
