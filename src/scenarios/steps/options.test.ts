import fc from 'fast-check';
import { expect, it } from 'vitest';
import { percentile } from '../../measure/samples/distribution.js';
import { keepsLimit, parseLimit } from './options.js';

it('reads a percentile that is to stay below a time', () => {
  expect(parseLimit('p95<500ms')).toEqual({ millionths: 950_000, us: 500_000 });
  expect(parseLimit(' p99.9<1.5s ')).toEqual({ millionths: 999_000, us: 1_500_000 });
});

it.each(['', 'p95', 'p95<', 'p95<500', 'p95<=500ms', 'p100<1s', 'p0<1s', 'q95<1s', 'p-5<1s', 'p95<-1s'])(
  'knows no limit in %j',
  (text) => {
    expect(parseLimit(text)).toBeUndefined();
  },
);

it('is kept exactly where the percentile of all samples, by nearest rank, lies below', () => {
  const times = fc.uint8Array({ minLength: 1, maxLength: 211 });
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 256 }), (values, share, us) => {
      const samples = { kind: 'raw' as const, values: Uint32Array.from(values).sort() };
      const slow = values.filter((each) => each >= us).length;
      const limit = { millionths: share * 100, us };
      expect(keepsLimit(limit, values.length, slow)).toBe((percentile(samples, share / 10_000) as number) < us);
    }),
  );
});
