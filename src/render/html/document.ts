import { createHash } from 'node:crypto';
import {
  answerFirst,
  type Block,
  type DataTable,
  type Document,
  headed,
  isAligned,
  isFacts,
  isTable,
  type Line,
  type Part,
  piecesOf,
  plainText,
} from '../document/document.js';
import type { PageData } from './charts/chart.js';
import { html, Markup, wideTable } from './markup.js';
import type { Assets } from './runs.js';
import { styleSheet } from './style-sheet.js';

/** Formats JSON that is safe inside a script element. */
export function scriptJson(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));
}

/** Prints a self-contained page. It runs only its own scripts and loads nothing. */
export function printDocument(
  title: string,
  body: Markup,
  data: PageData,
  { uplotScript, uplotStyle, drawScript }: Assets,
): string {
  const allowed = [uplotScript, drawScript].map(
    (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  const scripts = `script-src ${allowed.join(' ')}; connect-src 'none'`;
  const sources = `img-src data:; style-src 'unsafe-inline'; ${scripts}`;
  const policy = `default-src 'none'; ${sources}; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${new Markup(uplotStyle)}${new Markup(styleSheet)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the figures</a>
<svg class="defs" aria-hidden="true"><defs>
<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
<rect width="6" height="6"/><path d="M0 6 L6 0"/></pattern>
</defs></svg>
${body}
<script type="application/json" id="page-data">${scriptJson(data)}<\/script>
<script>${new Markup(uplotScript)}<\/script>
<script type="module">${new Markup(drawScript)}<\/script>
</body>
</html>
`.text;
}

type Heading = 'h2' | 'h3';

/** Prints the heading of a page: what was asked, and the sentence of the answer. */
export function documentHeader(document: Document): Markup {
  const { sentence } = headed(document);
  const asked = plainText(document.title);
  return html`<header>${asked !== sentence && html`<p class="aside">${asked}</p>`}<h1>${sentence}</h1></header>`;
}

/** Prints the parts of a document as HTML, the answer in one box. Details are folded. */
export function documentHtml(document: Pick<Document, 'parts' | 'details'>, heading: Heading = 'h3'): Markup {
  const { details = [] } = document;
  const parts = answerFirst(document);
  const answer = parts.filter(({ isAnswer }) => isAnswer).map((part) => bodyHtml(part, heading));
  const folds = details.map(
    (each) => html`<details><summary>${each.name}</summary>${documentHtml(each, heading)}</details>\n`,
  );
  const others = parts.filter(({ isAnswer }) => !isAnswer).map((part) => partHtml(part, heading));
  return html`${answer.length > 0 && html`<div class="answer">${answer}</div>\n`}${others}${folds}`;
}

function partHtml(part: Part, heading: Heading): Markup {
  const body = bodyHtml(part, heading);
  if (part.folded !== undefined) return html`<details><summary>${part.folded}</summary>${body}</details>\n`;
  return html`<div class="part">${body}</div>\n`;
}

function bodyHtml({ title, blocks, folded }: Part, heading: Heading): Markup {
  const name = title === undefined || folded !== undefined ? '' : plainText(title);
  const shown = heading === 'h2' ? html`<h2>${name}</h2>` : html`<h3>${name}</h3>`;
  return html`${name !== '' && shown}
${blocks.map(blockHtml)}`;
}

function blockHtml(block: Block): Markup {
  if (isTable(block)) return tableHtml(block);
  if (isAligned(block)) return html`<pre class="lines" tabindex="0">${block.aligned.map(plainText).join('\n')}</pre>\n`;
  if (isFacts(block))
    return html`<dl>${block.facts.map(([name, line]) => html`<dt>${name}</dt><dd>${lineHtml(line)}</dd>`)}</dl>\n`;
  return html`<p>${lineHtml(block)}</p>\n`;
}

function tableHtml({ head, rows, left = [0], ifNarrow }: DataTable): Markup {
  const cells = rows.map((row) => row.map(lineHtml));
  const isText = (column: number): boolean => left.includes(column);
  return wideTable(head, cells, isText, { isScrolled: ifNarrow === 'columns' });
}

function lineHtml(line: Line): Markup {
  return html`${piecesOf(line).map(({ text, tone, isCode }) => {
    const shown = isCode ? html`<code>${text}</code>` : html`${text}`;
    return tone === 'plain' || text === '' ? shown : html`<span class="${tone}">${shown}</span>`;
  })}`;
}

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
