import { expect, test } from 'vitest';
import { numberOnly, slotsIn, valuesIn, withSlots } from './slots.js';

test('slots are names in braces, each told once; other braces are text', () => {
  expect(slotsIn('{"a":{},"b":{client},"c":"{stream} {client} {9} { x }"}')).toEqual(['client', 'stream']);
});

test('a slot takes its value, and stays without one', () => {
  expect(withSlots('/{client}/{room}', numberOnly(7))).toBe('/7/{room}');
  expect(withSlots('/{client}', () => 'a b', encodeURIComponent)).toBe('/a%20b');
});

test('a client has its number, and the values that somebody has for it', () => {
  const numberOf = (client: number) => client + 100;
  expect(valuesIn({ numberOf }, 7)('client')).toBe('107');
  expect(valuesIn({ numberOf, valuesOf: () => (name) => name.toUpperCase() }, 7)('token')).toBe('TOKEN');
});
