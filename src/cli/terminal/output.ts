import { closeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isatty } from 'node:tty';
import { CommanderError } from 'commander';
import { exitCodes } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import { fold, type Style } from '../../render/words/table.js';
import { writeWholeFile } from '../../results/store.js';
import { jsonText } from '../../units/text.js';

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

const descriptors = [0, 1, 2] as const;

/** Lets this process outlive its terminal, its pipes and a full disk. Output that fails is never exit code 0. */
export function guardOutlets(): void {
  const terminals = descriptors.filter((descriptor) => isatty(descriptor));
  let isUnwritten = false;
  process.stderr.on('error', ofSystem);
  process.stdout.on('error', (error) => {
    const { code, message } = ofSystem(error);
    if (code === 'EPIPE' || isUnwritten) return;
    isUnwritten = true;
    printProblems({ problems: [problem('notWritten', `stdout does not take all of the output: ${message}`)] });
  });
  process.on('exit', () => {
    if (isUnwritten && !process.exitCode) process.exitCode = exitCodes.rig.code;
    // Node restores the settings of its terminals at exit, and aborts if one is gone.
    for (const descriptor of terminals) if (!isatty(descriptor)) closeSync(descriptor);
  });
}

function ofSystem(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  if (error.syscall === undefined) throw error;
  return error;
}

/** Returns the style of stdout: plain and unfolded unless it is a terminal. */
export function terminalStyle(): Style {
  const { isTTY = false, columns = 0 } = process.stdout;
  const isColored = isTTY && (process.env.NO_COLOR ?? '') === '';
  // A container's terminal without a viewer has no columns.
  return { isColored, columns: columns > 0 ? columns : Number.POSITIVE_INFINITY };
}

/** Writes text to stdout, or to a file that appears once it is whole. Throws `ProblemError` if a file fails. */
export async function writeOut(pieces: Iterable<string> | AsyncIterable<string>, path?: string): Promise<void> {
  try {
    if (path === undefined) await pipeline(Readable.from(pieces), process.stdout, { end: false });
    else await writeWholeFile(path, pieces);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    // The guard of stdout reports output that could not be written.
    if (path === undefined) return;
    throw problemError('badOption', `expected a file that can be written, received ${path} (${message})`);
  }
}

export function print(text: string): void {
  process.stdout.write(text);
}

export function printLines(text: string): void {
  print(`${fold(text, terminalStyle().columns)}\n`);
}

export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
