import type { SuiteBook } from '../../report/suite/book.js';
import { renderSuiteJunit } from '../../report/suite/junit.js';
import { renderSuiteMarkdown } from '../../report/suite/markdown.js';
import { renderSuite } from '../../report/suite/terminal.js';
import { print, printLines } from '../output.js';
import { terminalStyle } from '../style.js';

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
