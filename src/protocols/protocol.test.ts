import { expect, it, test } from 'vitest';
import { causeInWords, textOf, unexpected } from './protocol.js';

const closeMeaning = (code: number): string | undefined => (code === 4007 ? 'go away' : undefined);

it.each([
  ['close-code:4007', 'close-code:4007 go away'],
  ['close-code:1001', 'close-code:1001'],
  ['rejected:4007', 'rejected:4007'],
  ['end-of-stream', 'end-of-stream'],
])('%s is told as %s', (cause, told) => {
  expect(causeInWords({ closeMeaning }, cause)).toBe(told);
  expect(causeInWords({}, cause)).toBe(cause);
});

test('textOf reads any bytes', () => {
  expect(textOf(Buffer.from('dépôt'))).toBe('dépôt');
  expect(textOf(Uint8Array.of(0x61, 0xff))).toBe('a\ufffd');
});

test('unexpected quotes a message within 80 characters', () => {
  expect(unexpected('boo')).toBe('unexpected message boo');
  expect(unexpected('x'.repeat(997))).toHaveLength(80);
});
