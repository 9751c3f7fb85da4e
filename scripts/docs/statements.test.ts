import { expect, test } from 'vitest';
import { statements } from './statements.js';

test.each([
  ['a b && c | d; e', [['a', 'b'], ['c'], ['d'], ['e']]],
  ['a b   # c d\ne', [['a', 'b'], ['e']]],
  ['a --x \\\n  --y', [['a', '--x', '--y']]],
  ["T=1 U='2 3' a 'delivery.p99<200ms' \"b c\" d\\ e", [['a', 'delivery.p99<200ms', 'b c', 'd e']]],
  ['RUN=x\na $RUN > file 2>&1', [['a', '$RUN']]],
  ['a b=c --d=e#f', [['a', 'b=c', '--d=e#f']]],
  ['', []],
])('of %j', (text, words) => {
  expect(statements(text)).toEqual(words);
});
