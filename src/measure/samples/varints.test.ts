import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accumulate, deltasOf, packVarints, unpackVarints } from './varints.js';

const values = fc.uint32Array({ maxLength: 101 });

it('packs seven bits to a byte, least first', () => {
  expect([...packVarints(Uint32Array.of(0, 127, 128, 300, 2 ** 32 - 1))]).toEqual([
    0x00, 0x7f, 0x80, 0x01, 0xac, 0x02, 0xff, 0xff, 0xff, 0xff, 0x0f,
  ]);
});

it('unpacks what it packs', () => {
  fc.assert(
    fc.property(values, (list) => {
      expect(unpackVarints(packVarints(list), list.length)).toEqual(list);
      expect(accumulate(deltasOf(list.slice().sort()))).toEqual(list.slice().sort());
    }),
  );
});

it('throws where another count is announced', () => {
  const bytes = packVarints(Uint32Array.of(7, 300));
  for (const count of [0, 1, 3, 2 ** 40]) expect(() => unpackVarints(bytes, count)).toThrow(/announced/);
  expect(() => unpackVarints(bytes.subarray(0, 2), 2)).toThrow(/announced/);
});
