import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import { fold } from '../../render/words/fold.js';
import { writeWholeFile } from '../../results/whole-file.js';
import { terminalStyle } from './style.js';

/** Writes text piece by piece to a file, which is there once it is whole, or to stdout where none is named; what that can't take is told by its guard. Throws `ProblemError` where a file can't be written. */
export async function writeOut(pieces: Iterable<string> | AsyncIterable<string>, path?: string): Promise<void> {
  try {
    if (path === undefined) await pipeline(Readable.from(pieces), process.stdout, { end: false });
    else await writeWholeFile(path, pieces);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    if (path !== undefined)
      throw new ProblemError([
        problem('badOption', `--output: expected a file that can be written, received ${path} (${message})`),
      ]);
  }
}

/** Writes a text to stdout, as it is. */
export function print(text: string): void {
  process.stdout.write(text);
}

/** Writes lines for a reader to stdout: on a terminal, those that are wider than it are broken between words. */
export function printLines(text: string): void {
  print(`${fold(text, terminalStyle().columns)}\n`);
}

/** Writes a line to stderr. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
