import { expect, it } from 'vitest';
import { toldCause } from './close-meaning.js';

const closeMeaning = (code: number): string | undefined => (code === 4007 ? 'go away' : undefined);

it.each([
  ['close-code:4007', 'close-code:4007 go away'],
  ['close-code:1001', 'close-code:1001'],
  ['rejected:4007', 'rejected:4007'],
  ['end-of-stream', 'end-of-stream'],
])('%s is told as %s', (cause, told) => {
  expect(toldCause({ closeMeaning }, cause)).toBe(told);
  expect(toldCause({}, cause)).toBe(cause);
});
