import { expect, it } from 'vitest';
import { exitCodes } from './exit-codes.js';
import { ProblemError, problem, problemTable } from './problems.js';

it('has a hint and an exit that there is for every problem', () => {
  for (const { hint, exit } of Object.values(problemTable)) {
    expect(hint).toMatch(/[.)]$/);
    expect(Object.keys(exitCodes)).toContain(exit);
  }
});

it('takes the hint of the table where no closer one is known', () => {
  expect(problem('portInUse', 'port 7 is taken').hint).toBe(problemTable.portInUse.hint);
  expect(problem('portInUse', 'port 7 is taken', 'Take port 11.').hint).toBe('Take port 11.');
});

it('throws all problems at once, and ends as the first of them', () => {
  const error = new ProblemError([problem('badOption', 'one'), problem('shardBusy', 'another')]);
  expect(error.message).toBe('one\nanother');
  expect(error.problems.map(({ code }) => code)).toEqual(['badOption', 'shardBusy']);
  expect(error.exitCode).toBe(2);
});

it('is a bug of ours when it has no problem', () => {
  expect(new ProblemError([]).exitCode).toBe(1);
});
