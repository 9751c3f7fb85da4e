import { CommanderError } from 'commander';
import { exitCodes } from '../contract/exit-codes.js';
import { type Problem, ProblemError, problem } from '../contract/problems.js';
import { jsonText } from '../units/text.js';

/** Reports a failure on stderr and sets the exit code. A bug of Ringside shows its stack. */
export function reportFailure(error: unknown): void {
  if (error instanceof CommanderError) {
    if (error.exitCode !== 0) tellAsJson([problem('badOption', error.message)]);
    process.exitCode = error.exitCode === 0 ? exitCodes.clean.code : exitCodes.input.code;
  } else if (error instanceof ProblemError) {
    tellAsJson(error.problems);
    printProblems(error);
    process.exitCode = error.exitCode;
  } else {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: String(error) };
    tellAsJson([{ code: 'bug', message }]);
    process.stderr.write(`This is a fault of ringside itself:\n${stack}\n`);
    process.exitCode = exitCodes.bug.code;
  }
}

export function printProblems({ problems }: Pick<ProblemError, 'problems'>): void {
  process.stderr.write(problemLines(problems));
}

/** Formats one line for each problem. A hint that several share appears once, below the last of them. */
export function problemLines(problems: readonly Pick<Problem, 'message' | 'hint'>[]): string {
  return problems
    .map(({ message, hint }, index) => {
      const isSaidBelow = problems.slice(index + 1).some((other) => other.hint === hint);
      return `error: ${message}\n${isSaidBelow ? '' : `       ${hint}\n`}`;
    })
    .join('');
}

/** Prints the problems as JSON with --json, as stdout then holds one document in any case. */
function tellAsJson(problems: readonly object[]): void {
  const { RINGSIDE_JSON = '' } = process.env;
  const isJson = process.argv.includes('--json') || ['true', '1'].includes(RINGSIDE_JSON);
  if (isJson) process.stdout.write(jsonText({ problems }));
}
