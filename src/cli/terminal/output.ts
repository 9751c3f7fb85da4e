import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import { fold } from '../../render/words/fold.js';
import type { Style } from '../../render/words/style.js';
import { writeWholeFile } from '../../results/whole-file.js';

/** How stdout looks: coloured and folded on a terminal, unless NO_COLOR is set; plain and unfolded elsewhere. */
export function terminalStyle(): Style {
  const { isTTY = false, columns = 0 } = process.stdout;
  const isColored = isTTY && (process.env.NO_COLOR ?? '') === '';
  // The terminal of a container that nobody looks at has none.
  return { isColored, columns: columns > 0 ? columns : Number.POSITIVE_INFINITY };
}

/** Writes text to a file, which appears once it is whole, or to stdout. Throws `ProblemError` if a file fails. */
export async function writeOut(pieces: Iterable<string> | AsyncIterable<string>, path?: string): Promise<void> {
  try {
    if (path === undefined) await pipeline(Readable.from(pieces), process.stdout, { end: false });
    else await writeWholeFile(path, pieces);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    // What stdout can't take is reported by its guard.
    if (path === undefined) return;
    throw new ProblemError([
      problem('badOption', `--output: expected a file that can be written, received ${path} (${message})`),
    ]);
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
