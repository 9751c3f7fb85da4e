import { expect, it } from 'vitest';
import { namesAtLeast } from './package-files.js';

it.each([
  ['1.6.3', '1.6.3', true],
  ['1.6.16-2baf6a3', '1.6.3', true],
  ['anycable-go 1.10', '1.6.3', true],
  ['2.0', '1.6.3', true],
  ['1.6.2.1', '1.6.3', false],
  ['1.6', '1.6.3', false],
  ['1.5.6-0d5d1c3', '1.6.3', false],
  ['of today', '1.6.3', false],
])('%s against %s: %s', (text, least, isEnough) => {
  expect(namesAtLeast(text, least)).toBe(isEnough);
});
