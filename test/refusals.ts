import { type Problem, ProblemError } from '../src/contract/problems.js';

/** The problems with which something refuses, by that exit code if it is given; none if it does not. */
export function problemsBy(work: () => unknown, exitCode?: number): readonly Problem[] {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.exitCode !== (exitCode ?? error.exitCode)) throw error;
    return error.problems;
  }
  return [];
}

/** Their codes. */
export const refusalOf = (work: () => unknown): string[] => problemsBy(work).map(({ code }) => code);

/** The messages of wrong input. */
export const messagesBy = (work: () => unknown): string[] => problemsBy(work, 2).map(({ message }) => message);
