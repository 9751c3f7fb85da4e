import type { Forms } from '../../command.js';
import type { SuiteBook } from '../print/book.js';
import { renderSuiteJunit } from '../print/junit.js';
import { renderSuiteMarkdown } from '../print/markdown.js';
import { renderSuite } from '../print/terminal.js';

/** A suite in every form that stdout can hold. */
export function formsOf(book: SuiteBook): Forms {
  return {
    document: book.suite,
    junit: () => renderSuiteJunit(book),
    markdown: () => renderSuiteMarkdown(book),
    text: (style) => renderSuite(book, style),
  };
}
