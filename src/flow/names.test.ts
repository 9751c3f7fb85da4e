import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ourName } from '../contract/problems.js';
import { cleanName, FigureNames, mostFigureNames } from './names.js';

it('every name is one that a shard may repeat', () => {
  const texts = fc.array(fc.nat(0xffff), { maxLength: 100 }).map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(texts, (name) => {
      expect(ourName.safeParse(`check:${cleanName(name)}`).success).toBe(true);
    }),
  );
  expect(cleanName('joined in < 2 s\u001b[31m')).toBe('joined in - 2 s');
});

it('a worker tells the first names apart, and the others are one', () => {
  const names = new FigureNames();
  const all = Array.from({ length: mostFigureNames + 7 }, (_, index) => names.nameOf(`name ${index}`));
  expect(new Set(all).size).toBe(mostFigureNames + 1);
  expect(all.at(-1)).toBe('other');
  expect(names.nameOf('name 3')).toBe('name 3');
});
