import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Scenario } from '../contract/catalog.js';
import { ProblemError, problem } from '../contract/problems.js';
import type { Kept } from '../report/exports/kept.js';
import { renderMarkdown } from '../report/exports/markdown.js';

/** Writes text piece by piece to a file, or to stdout where none is named. Whoever reads stdout may stop reading. Throws `ProblemError` where a file can't be written. */
export async function writeOut(pieces: Iterable<string> | AsyncIterable<string>, path?: string): Promise<void> {
  const out = path === undefined ? process.stdout : createWriteStream(path);
  try {
    await pipeline(Readable.from(pieces), out, { end: path !== undefined });
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'EPIPE') return;
    if (path !== undefined && syscall !== undefined)
      throw new ProblemError([
        problem('badOption', `--output: expected a file that can be written, received ${path} (${message})`),
      ]);
    throw error;
  }
}

interface Asked {
  isJson: boolean;
  isMarkdown: boolean;
}

/** Throws `ProblemError` where both `--json` and `--markdown` were given: stdout holds one document. */
export function oneDocument({ isJson, isMarkdown }: Asked): void {
  if (isJson && isMarkdown)
    throw new ProblemError([problem('badOption', '--markdown: expected --json or --markdown, received both')]);
}

/** What prints a result on stdout as `--json` or `--markdown` ask for it, or else as it is rendered for the terminal. Throws `ProblemError` at both. */
export function printerOf(asked: Asked) {
  oneDocument(asked);
  return (kept: Kept, scenario: Scenario, forTerminal: () => string): void => {
    if (asked.isJson) process.stdout.write(`${JSON.stringify(kept, null, 2)}\n`);
    else process.stdout.write(asked.isMarkdown ? renderMarkdown(kept, scenario) : `${forTerminal()}\n`);
  };
}
