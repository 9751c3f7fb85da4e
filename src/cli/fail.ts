import { CommanderError } from 'commander';
import { exitCodes } from '../contract/exit-codes.js';
import { type Problem, ProblemError, problem } from '../contract/problems.js';

/** Says what went wrong on stderr and sets the exit code. A fault of ours is printed with its stack. */
export function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    if (error.exitCode !== 0) tellAsJson([problem('badOption', error.message)]);
    process.exitCode = error.exitCode === 0 ? exitCodes.clean.code : exitCodes.input.code;
    return;
  }
  if (error instanceof ProblemError) {
    tellAsJson(error.problems);
    tellProblems(error);
    process.exitCode = error.exitCode;
    return;
  }
  tellAsJson([{ code: 'bug', message: error instanceof Error ? error.message : String(error) }]);
  process.stderr.write(
    `This is a fault of ringside itself:\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = exitCodes.bug.code;
}

/** Says on stderr what is wrong with what was given, or with the machine. */
export function tellProblems({ problems }: Pick<ProblemError, 'problems'>): void {
  process.stderr.write(inWords(problems));
}

/** Each problem in a line; what to do about it below the last one that it is said of. */
export function inWords(problems: readonly Pick<Problem, 'message' | 'hint'>[]): string {
  return problems
    .map(({ message, hint }, index) => {
      const isSaidBelow = problems.slice(index + 1).some((other) => other.hint === hint);
      return `error: ${message}\n${isSaidBelow ? '' : `       ${hint}\n`}`;
    })
    .join('');
}

/** Whoever asked for JSON gets one document whatever happens. */
function tellAsJson(problems: readonly object[]): void {
  const isJson =
    process.argv.includes('--json') || process.env.RINGSIDE_JSON === 'true' || process.env.RINGSIDE_JSON === '1';
  if (isJson) process.stdout.write(`${JSON.stringify({ problems }, null, 2)}\n`);
}
