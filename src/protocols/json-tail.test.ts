import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyBytes, isBefore, openingQuote } from './json-tail.js';

const text = fc.string({ unit: fc.constantFrom('"', '\\', 'a', 'é', '\u0007', ',') });

test('openingQuote finds the start of any JSON string from its end', () => {
  fc.assert(
    fc.property(text, text, (value, before) => {
      const head = Buffer.from(`${JSON.stringify(before)},`);
      const bytes = Buffer.concat([head, Buffer.from(JSON.stringify(value))]);
      expect(openingQuote(bytes, 0, bytes.length - 1)).toBe(head.length);
      expect(openingQuote(bytes, head.length + 1, bytes.length - 1)).toBe(-1);
    }),
  );
});

test('isBefore compares within bounds', () => {
  const bytes = Buffer.from('{"offset":17}');
  expect(isBefore(bytes, 0, 10, Buffer.from('"offset":'))).toBe(true);
  expect(isBefore(bytes, 2, 10, Buffer.from('"offset":'))).toBe(false);
  expect(isBefore(bytes, 0, 9, Buffer.from('"offset":'))).toBe(false);
});

test('copyBytes copies a range', () => {
  const target = Buffer.from('.....');
  copyBytes(Buffer.from('abcdefg'), 2, 5, target);
  expect(target.toString()).toBe('cde..');
});
