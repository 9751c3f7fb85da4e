import type { SuiteBook } from '../report/suite/book.js';
import { renderSuiteJunit } from '../report/suite/junit.js';
import { renderSuiteMarkdown } from '../report/suite/markdown.js';
import { renderSuite } from '../report/suite/terminal.js';
import { terminalStyle } from './style.js';

/** A suite as it is asked for on stdout. */
export function printed(
  book: SuiteBook,
  {
    isJson = false,
    isMarkdown = false,
    isJunit = false,
  }: { isJson?: boolean; isMarkdown?: boolean; isJunit?: boolean },
): string {
  if (isJson) return `${JSON.stringify(book.suite, null, 2)}\n`;
  if (isJunit) return renderSuiteJunit(book);
  return isMarkdown ? renderSuiteMarkdown(book) : `${renderSuite(book, terminalStyle())}\n`;
}
