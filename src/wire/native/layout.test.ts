import { expect, it } from 'vitest';
import { loopMemory } from './layout.js';

/** Of a thread with 7 clients. */
const bytes = 64 + 2 * 8192 * 25 + 16_384 * 25 + 4096 * 66 + 4_194_304 + 7 * 24;

it('has one field behind the other, to the end of the memory', () => {
  const { accounts, arena, events, reports } = loopMemory(new ArrayBuffer(bytes), 7);
  expect([events.flags.length, reports.fate.length, arena.length]).toEqual([4096, 16_384, 4_194_304]);
  expect([accounts.words.length, accounts.doubles.length]).toEqual([42, 21]);
  expect(accounts.words.byteOffset).toBe(arena.byteOffset + arena.length);
});

it.each([bytes - 8, bytes + 8, 0])('refuses memory of %i bytes, as an addon of another version has', (length) => {
  expect(() => loopMemory(new ArrayBuffer(length), 7)).toThrow('another version');
});
