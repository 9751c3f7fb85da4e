import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import type { Kept } from '../../render/exports/kept.js';
import { renderMarkdown } from '../../render/exports/markdown.js';
import { fold } from '../../render/words/fold.js';
import { writeWholeFile } from '../../results/whole-file.js';
import type { Scenario } from '../../run/catalog.js';
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

interface Asked {
  isJson: boolean;
  isMarkdown: boolean;
  isJunit?: boolean;
}

/** Throws `ProblemError` where more than one of the documents was asked for: stdout holds one. */
export function oneDocument({ isJson, isMarkdown, isJunit = false }: Asked): void {
  const asked = Object.entries({ '--json': isJson, '--markdown': isMarkdown, '--junit': isJunit });
  const flags = asked.flatMap(([flag, isAsked]) => (isAsked ? flag : []));
  if (flags.length > 1)
    throw new ProblemError([
      problem('badOption', `${flags.at(-1)}: expected one document on stdout, received ${flags.join(' and ')}`),
    ]);
}

/** What prints a result on stdout as `--json` or `--markdown` ask for it, or else as it is rendered for the terminal. Throws `ProblemError` at both. */
export function printerOf(asked: Asked) {
  oneDocument(asked);
  return (kept: Kept, scenario: Scenario, forTerminal: () => string): void => {
    if (asked.isJson) print(`${JSON.stringify(kept, null, 2)}\n`);
    else if (asked.isMarkdown) print(renderMarkdown(kept, scenario));
    else printLines(forTerminal());
  };
}
