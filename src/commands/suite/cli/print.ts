import { print, printLines } from '../../../cli/terminal/output.js';
import { terminalStyle } from '../../../cli/terminal/style.js';
import type { SuiteBook } from '../print/book.js';
import { renderSuiteJunit } from '../print/junit.js';
import { renderSuiteMarkdown } from '../print/markdown.js';
import { renderSuite } from '../print/terminal.js';

/** Prints a suite on stdout as it is asked for. */
export function printBook(
  book: SuiteBook,
  {
    isJson = false,
    isMarkdown = false,
    isJunit = false,
  }: { isJson?: boolean; isMarkdown?: boolean; isJunit?: boolean },
): void {
  if (isJson) print(`${JSON.stringify(book.suite, null, 2)}\n`);
  else if (isJunit) print(renderSuiteJunit(book));
  else if (isMarkdown) print(renderSuiteMarkdown(book));
  else printLines(renderSuite(book, terminalStyle()));
}
