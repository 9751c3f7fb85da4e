import { wideTable } from '../html/charts/figure.js';
import { html, type Markup } from '../html/document.js';
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
} from './document.js';

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
