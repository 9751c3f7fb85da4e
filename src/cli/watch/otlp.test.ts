import fc from 'fast-check';
import { expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { binOf, binShare, binsPerBlock } from '../../measure/samples/blocks.js';
import { exponentialHistogram } from './otlp.js';

const samples = fc.array(fc.integer({ min: 1, max: 2 ** 27 }), { minLength: 1, maxLength: 101 });

it('an exponential histogram counts each sample, within the width of a live bin', () => {
  law(samples, (all) => {
    const counts = new Uint32Array(binsPerBlock);
    for (const us of all) counts[binOf(us)]!++;
    const pairs = [...counts].flatMap((count, bin) => (count === 0 ? [] : [bin, count]));
    const { count, scale, zeroCount, positive, sum } = exponentialHistogram(pairs);
    expect({ count, scale }).toEqual({ count: all.length, scale: 8 });
    expect(zeroCount + positive.bucketCounts.reduce((total, each) => total + each, 0)).toBe(all.length);
    const ranked = [
      ...Array<number>(zeroCount).fill(1e-6),
      ...positive.bucketCounts.flatMap((times, n) =>
        Array<number>(times).fill(2 ** ((positive.offset + n + 0.5) / 256)),
      ),
    ];
    // Half a bin, and half a bucket.
    const most = binShare / 2 + 2 ** (1 / 512) - 1 + 0.001;
    [...all]
      .sort((one, other) => one - other)
      .forEach((us, rank) => {
        if (us < 2 ** 27) expect(Math.abs((ranked[rank] ?? 0) / (us / 1e6) - 1)).toBeLessThan(most);
      });
    const whole = all.reduce((one, us) => one + us, 0) / 1e6;
    // What took no more than a microsecond counts as zero.
    if (!all.includes(2 ** 27))
      expect(Math.abs((sum ?? 0) - whole)).toBeLessThanOrEqual(most * whole + zeroCount / 1e6);
  });
});

it('an empty second has no buckets', () => {
  expect(exponentialHistogram([])).toMatchObject({ count: 0, positive: { bucketCounts: [] } });
});
