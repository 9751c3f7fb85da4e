import { expect, test } from 'vitest';
import { textOf, unexpected } from './talk.js';

test('textOf reads any bytes', () => {
  expect(textOf(Buffer.from('dépôt'))).toBe('dépôt');
  expect(textOf(Uint8Array.of(0x61, 0xff))).toBe('a\ufffd');
});

test('unexpected quotes a message within 80 characters', () => {
  expect(unexpected('boo')).toBe('unexpected message boo');
  expect(unexpected('x'.repeat(997))).toHaveLength(80);
});
