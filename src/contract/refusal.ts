import type { z } from 'zod';
import type { OptionIssue } from '../options/resolve.js';
import { type Given, resolveOptions } from '../options/resolve.js';
import { type Problem, ProblemError, problem } from './problems.js';

export function optionProblems(issues: readonly OptionIssue[]): Problem[] {
  return issues.map(({ option, expected, received }) =>
    problem('badOption', `${option}: expected ${expected}, received ${received}`),
  );
}

/** The values of all options. Throws `ProblemError` with everything that is wrong with them. */
export function resolveOrRefuse<S extends z.ZodObject>(schema: S, given: Given): z.output<S> {
  const resolved = resolveOptions(schema, given);
  if (resolved.ok) return resolved.values;
  throw new ProblemError(optionProblems(resolved.issues));
}

/** What two checks give. Throws `ProblemError` with all that either of them refuses. */
export function together<A, B>(first: () => A, second: () => B): [A, B] {
  const problems: Problem[] = [];
  const made = <T>(check: () => T): T | undefined => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const both = [made(first), made(second)];
  if (problems.length > 0) throw new ProblemError(problems);
  return both as [A, B];
}
