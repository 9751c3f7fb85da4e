import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SparseBits } from './sparse-bits.js';

it('sparse bits are a set of pairs, however many', () => {
  const pairs = fc.array(fc.tuple(fc.nat(2_000_000), fc.nat(999_999_999)), { maxLength: 3000 });
  fc.assert(
    fc.property(pairs, fc.nat(40), (list, together) => {
      const bits = new SparseBits();
      const all = new Set<string>();
      // Neighbours share words.
      const dense = list.flatMap(
        ([client, number]) =>
          [
            [client, number],
            [client, number + together],
          ] as const,
      );
      for (const [client, number] of dense) {
        const isNew = !all.has(`${client} ${number}`);
        expect(bits.has(client, number)).toBe(!isNew);
        expect(bits.add(client, number)).toBe(isNew);
        all.add(`${client} ${number}`);
      }
      const found: string[] = [];
      bits.each((client, number) => found.push(`${client} ${number}`));
      expect(found.sort()).toEqual([...all].sort());
    }),
    { numRuns: 20 },
  );
});
