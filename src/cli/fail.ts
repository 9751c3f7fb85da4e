import { CommanderError } from 'commander';
import { exitCodes } from '../contract/exit-codes.js';
import { ProblemError } from '../contract/problems.js';

/** Says what went wrong on stderr and sets the exit code. A fault of ours is printed with its stack. */
export function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? exitCodes.clean.code : exitCodes.input.code;
    return;
  }
  if (error instanceof ProblemError) {
    // Whoever asked for JSON gets one document whatever happens.
    if (process.argv.includes('--json'))
      process.stdout.write(`${JSON.stringify({ problems: error.problems }, null, 2)}\n`);
    for (const { message, hint } of error.problems) process.stderr.write(`error: ${message}\n       ${hint}\n`);
    process.exitCode = error.exitCode;
    return;
  }
  process.stderr.write(
    `This is a fault of ringside itself:\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = exitCodes.bug.code;
}
