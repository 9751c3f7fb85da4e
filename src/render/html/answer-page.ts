import { type Document, plainText } from '../document/document.js';
import { documentHtml } from '../document/html.js';
import { html, printDocument } from './document.js';
import type { Assets } from './runs.js';

/** Prints the page of a document without charts: a search, a calibration, a suite or a published table. */
export function answerPage(document: Document, assets: Assets): string {
  const title = plainText(document.title);
  const body = html`<header><h1>${title}</h1></header>
<main id="main">
${documentHtml(document)}
<p class="aside">${(document.footer ?? []).join(' · ')}</p>
</main>
`;
  return printDocument(title, body, { charts: [], curves: {} }, assets);
}
