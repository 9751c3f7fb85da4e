import { type Document, headed } from '../document/document.js';
import { documentHeader, documentHtml } from '../document/html.js';
import { html, printDocument } from './document.js';
import type { Assets } from './runs.js';

/** Prints the page of a document without charts: a search, a calibration, a suite, a published table or a void run. */
export function answerPage(document: Document, assets: Assets): string {
  const { sentence, parts } = headed(document);
  const body = html`${documentHeader(document)}
<main id="main">
${documentHtml({ ...document, parts }, 'h2')}
<p class="aside">${(document.footer ?? []).join(' · ')}</p>
</main>
`;
  return printDocument(sentence, body, { charts: [], curves: {} }, assets);
}
