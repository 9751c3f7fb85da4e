import fc from 'fast-check';
import { expect, it } from 'vitest';
import { percentile, percentiles, summarize } from '../../../measure/samples/distribution.js';
import { createHistogram, recordSorted, type Samples } from '../../../measure/samples/samples.js';
import type { Curve } from './chart.js';
import { curveOf, finestStep } from './latency.js';

const raw = (values: readonly number[]): Samples => ({ kind: 'raw', values: Uint32Array.from(values).sort() });
const histogramOf = (values: readonly number[]): Samples => {
  const histogram = createHistogram();
  recordSorted(histogram, Uint32Array.from(values).sort());
  return { kind: 'histogram', histogram };
};

/** What a reader of the curve finds at a percentile: the first point that is not before it. */
function read({ count, ranks, us }: Curve, share: number): number {
  const rank = Math.max(1, Math.ceil(count * share - 1e-6));
  return us[ranks.findIndex((each) => each >= rank)] as number;
}

const someSamples = fc.array(fc.oneof(fc.nat(300), fc.nat(20_000), fc.nat(90_000_000)), {
  minLength: 1,
  maxLength: 997,
});
const someShare = fc.nat(1_000_000).map((millionths) => millionths / 1_000_000);

it('a curve reads at any percentile as its samples do, to half a percent', () => {
  fc.assert(
    fc.property(someSamples, fc.array(someShare, { maxLength: 31 }), (values, shares) => {
      const samples = raw(values);
      const curve = curveOf(samples) as Curve;
      for (const share of shares) {
        const exact = percentile(samples, share) as number;
        expect(read(curve, share)).toBeGreaterThanOrEqual(exact);
        expect(read(curve, share)).toBeLessThanOrEqual(exact * (1 + finestStep));
      }
    }),
  );
});

it('a curve has the printed percentiles, the least and the largest exactly', () => {
  fc.assert(
    fc.property(someSamples, fc.boolean(), (values, isHistogram) => {
      const samples = isHistogram ? histogramOf(values) : raw(values);
      const curve = curveOf(samples) as Curve;
      const summary = summarize(samples);
      for (const [name, share] of Object.entries(percentiles)) {
        const printed = summary[name as keyof typeof percentiles];
        const found = curve.percentiles.find((each) => each.share === share);
        expect(found?.us ?? null).toBe(printed);
        if (printed !== null) expect(read(curve, share)).toBe(printed);
      }
      expect(curve.us.at(-1)).toBe(summary.max);
      expect(curve.ranks.at(-1)).toBe(values.length);
    }),
  );
});

it('a curve rises, and ends what it carries where five samples lie beyond', () => {
  fc.assert(
    fc.property(someSamples, (values) => {
      const { ranks, us, lastCarried, count } = curveOf(raw(values)) as Curve;
      expect(ranks.every((rank, index) => index === 0 || rank > (ranks[index - 1] as number))).toBe(true);
      expect(us.every((each, index) => index === 0 || each >= (us[index - 1] as number))).toBe(true);
      expect(lastCarried).toBe(Math.max(0, count - 5));
      if (lastCarried > 0) expect(ranks).toContain(lastCarried);
    }),
  );
});

it('a curve has some thousand points of samples as different as can be', () => {
  const values = Uint32Array.from({ length: 200_003 }, (_, n) => Math.round(1.0001 ** n));
  const curve = curveOf({ kind: 'raw', values }) as Curve;
  expect(curve.ranks.length).toBeLessThan(3100);
});

it('a curve has the fewer points the more runs share a page, and a few hundred always', () => {
  const values = Uint32Array.from({ length: 20_011 }, (_, n) => Math.round(1.001 ** n));
  const pointsOf = (runs: number): number => curveOf({ kind: 'raw', values }, {}, runs)?.ranks.length ?? 0;
  const points = [1, 3, 7, 53].map(pointsOf);
  expect(points).toEqual(points.toSorted((a, b) => b - a));
  expect(points[0]).toBeGreaterThan(1500);
  expect(pointsOf(53)).toBeLessThan(320);
  expect(pointsOf(53)).toBeGreaterThan(100);
  expect(pointsOf(997)).toBe(pointsOf(53));
});

it('a curve is none without samples', () => {
  expect(curveOf(raw([]))).toBeUndefined();
  expect(curveOf({ kind: 'histogram', histogram: createHistogram() })).toBeUndefined();
});

it('ends where fewer than five independent samples lie beyond', () => {
  const values = Uint32Array.from({ length: 10_000 }, (_, n) => 1000 + n);
  const curve = curveOf({ kind: 'raw', values }, { independent: 100 }) as Curve;
  expect(curve.lastCarried).toBe(9500);
  expect(Math.max(...curve.percentiles.filter(({ share }) => share < 1).map(({ share }) => share))).toBe(0.95);
});
