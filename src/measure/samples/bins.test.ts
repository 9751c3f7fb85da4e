import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addBins, changedBins, putBins } from './blocks.js';

const rows = fc.array(fc.array(fc.nat(9), { minLength: 13, maxLength: 13 }), { minLength: 1, maxLength: 7 });

it('what a worker told piece by piece is all that it has', () => {
  fc.assert(
    fc.property(rows, (steps) => {
      const [counts, told, heard] = [0, 1, 2].map(() => new Uint32Array(13)) as [Uint32Array, Uint32Array, Uint32Array];
      for (const step of steps) {
        step.forEach((more, bin) => {
          counts[bin] = (counts[bin] as number) + more;
        });
        putBins(changedBins(counts, told), heard);
        expect(changedBins(counts, told)).toEqual([]);
      }
      expect(heard).toEqual(counts);
    }),
  );
});

it('bins of several workers add up, and those without samples do not travel', () => {
  expect(addBins([])).toEqual([]);
  expect(addBins([Uint32Array.of(0, 7, 0, 2), Uint32Array.of(0, 1, 0, 0)])).toEqual([1, 8, 3, 2]);
});
