import { expect, it } from 'vitest';
import { problemLines } from './output.js';

it('says what to do once, below the last of the problems that it is said of', () => {
  const problems = [
    { message: 'a', hint: 'one' },
    { message: 'b', hint: 'two' },
    { message: 'c', hint: 'one' },
  ];
  expect(problemLines(problems)).toBe('error: a\nerror: b\n       two\nerror: c\n       one\n');
});
