import { ProblemError } from '../src/contract/problems.js';

/** The codes of the problems with which something refuses; none if it does not. */
export function refusalOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.problems.map(({ code }) => code);
  }
  return [];
}
