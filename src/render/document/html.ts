import { html, type Markup } from '../html/document.js';
import {
  answerFirst,
  type Block,
  type DataTable,
  type Document,
  isAligned,
  isFacts,
  isTable,
  type Line,
  type Part,
  piecesOf,
  plainText,
} from './document.js';

/** Prints the parts of a document as HTML. Details are folded. */
export function documentHtml(document: Pick<Document, 'parts' | 'details'>): Markup {
  const { details = [] } = document;
  const folds = details.map((each) => html`<details><summary>${each.name}</summary>${documentHtml(each)}</details>\n`);
  return html`${answerFirst(document).map(partHtml)}${folds}`;
}

function partHtml({ title, blocks, folded, isAnswer }: Part): Markup {
  const body = html`${title !== undefined && html`<h3>${plainText(title)}</h3>`}
${blocks.map(blockHtml)}`;
  if (folded !== undefined) return html`<details><summary>${folded}</summary>${body}</details>\n`;
  return html`<div class="${isAnswer ? 'answer' : 'part'}">${body}</div>\n`;
}

function blockHtml(block: Block): Markup {
  if (isTable(block)) return tableHtml(block);
  if (isAligned(block)) return html`<pre class="lines" tabindex="0">${block.aligned.map(plainText).join('\n')}</pre>\n`;
  if (isFacts(block))
    return html`<dl>${block.facts.map(([name, line]) => html`<dt>${name}</dt><dd>${lineHtml(line)}</dd>`)}</dl>\n`;
  return html`<p>${lineHtml(block)}</p>\n`;
}

function tableHtml({ head, rows, left = [0] }: DataTable): Markup {
  const kindOf = (column: number): string => (left.includes(column) ? 'text' : 'number');
  return html`<div class="scroll"><table>
<thead><tr>${head.map((title, column) => html`<th scope="col" class="${kindOf(column)}">${title}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${row.map((cell, column) => html`<td class="${kindOf(column)}">${lineHtml(cell)}</td>`)}</tr>
`,
  )}</tbody></table></div>
`;
}

function lineHtml(line: Line): Markup {
  return html`${piecesOf(line).map(({ text, tone, isCode }) => {
    const shown = isCode ? html`<code>${text}</code>` : html`${text}`;
    return tone === 'plain' ? shown : html`<span class="${tone}">${shown}</span>`;
  })}`;
}
