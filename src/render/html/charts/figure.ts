import { milliseconds } from '../../words/values.js';
import { withBound } from '../../words/verdict-words.js';
import { html, Markup } from '../document.js';
import type { Chart, Line, TableCell } from './chart.js';

export function chartFigure(chart: Chart, heading: 'h2' | 'h3' | 'h4' = 'h3'): Markup {
  const { id, title, summary, lines, size, x, y, table, tableNote } = chart;
  const name = `${id}-name`;
  const shown = {
    h2: html`<h2 id="${name}">${title}</h2>`,
    h3: html`<h3 id="${name}">${title}</h3>`,
    h4: html`<h4 id="${name}">${title}</h4>`,
  }[heading];
  const label = `${title}: ${summary} ${y.label} over ${x.label}. The table below has its figures.`;
  const entries = lines.map((line, index) => legendEntry(line, index, lines.length === 1));
  const note = tableNote !== '' && html`<p class="aside">${tableNote}</p>`;
  const tables = html`${dataTable(title, table.head, table.rows)}${note}`;
  return html`<figure id="${id}" class="chart ${size}" aria-labelledby="${name}">
<figcaption>${shown}${size === 'large' && html`<p>${summary}</p>`}</figcaption>
<div class="plot" role="img" aria-label="${label}"></div>
<ul class="legend" aria-label="${`Lines of ${title}`}">${entries}<li class="at" aria-hidden="true"></li></ul>
<details><summary>Figures<span class="unseen"> of ${title}</span></summary>${tables}</details>
</figure>
`;
}

/** Formats a legend entry as a button that hides its line. A sole line has no button. */
function legendEntry({ label, color, dash, look }: Line, index: number, isSole: boolean): Markup {
  const stroke = html`stroke-width="${look === 'thin' ? 1 : 2.5}" stroke-dasharray="${dash.join(' ')}"`;
  const mark =
    look === 'points'
      ? html`<circle class="line-${color}" cx="16" cy="5" r="3.5"/>`
      : html`<line class="line-${color}" x1="0" y1="5" x2="32" y2="5" ${stroke}/>`;
  const name = html`<span class="name">${label}</span> <span class="value" data-value="${index}"></span>`;
  const entry = html`<svg width="32" height="10" aria-hidden="true">${mark}</svg> ${name}`;
  if (isSole) return html`<li><span class="entry">${entry}</span></li>`;
  return html`<li><button type="button" class="entry" disabled aria-pressed="true">${entry}</button></li>`;
}

/** Formats a table of values. Its first column names the rows. */
export function dataTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly (TableCell | Markup)[])[],
): Markup {
  const isText = (column: number): boolean => column === 0 || !rows.every((row) => isNumeric(row[column]));
  const cells = rows.map((row) => row.map(inCell));
  return wideTable(head, cells, isText, { caption });
}

/** Tables with more columns than this are lists on a phone. */
const mostNarrow = 3;

/** Formats a table. On a phone, rows of a wide one are lists of named cells, unless `isScrolled`. */
export function wideTable(
  head: readonly string[],
  rows: readonly (readonly (Markup | string)[])[],
  isText: (column: number) => boolean,
  { caption = '', isScrolled = false }: { caption?: string; isScrolled?: boolean } = {},
): Markup {
  const isList = head.length > mostNarrow && !isScrolled;
  const role = (name: string): Markup | false => isList && html` role="${name}"`;
  const number = (column: number): Markup | false => !isText(column) && html` class="number"`;
  const named = (column: number): Markup | false => isList && head[column] !== '' && html` data-name="${head[column]}"`;
  const titles = head.map((title, column) =>
    title === ''
      ? html`<td${role('cell')}></td>`
      : html`<th scope="col"${role('columnheader')}${number(column)}>${title}</th>`,
  );
  const body = rows.map(([first = '', ...cells]) => {
    const data = cells.map(
      (cell, index) => html`<td${role('cell')}${number(index + 1)}${named(index + 1)}>${cell}</td>`,
    );
    return html`<tr${role('row')}><th scope="row"${role('rowheader')}${named(0)}>${first}</th>${data}</tr>\n`;
  });
  const name = caption === '' ? `Table of ${head.filter((title) => title !== '').join(', ')}` : caption;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}">
<table${isList && html` class="list"`}${role('table')}>${caption !== '' && html`<caption>${caption}</caption>`}
<thead${role('rowgroup')}><tr${role('row')}>${titles}</tr></thead>
<tbody${role('rowgroup')}>${body}</tbody></table></div>
`;
}

function isNumeric(cell: TableCell | Markup | undefined): boolean {
  return cell instanceof Markup ? cell.text.startsWith('<data') : typeof cell !== 'string';
}

function inCell(cell: TableCell | Markup | undefined): Markup | string {
  if (cell === null || cell === undefined) return '–';
  if (typeof cell === 'string' || cell instanceof Markup) return cell;
  if (typeof cell === 'object') return html`<data value="${cell.value}">${cell.text}</data>`;
  return html`<data value="${cell}">${cell.toLocaleString('en-US', { maximumFractionDigits: 3 })}</data>`;
}

/** Formats microseconds as a cell: exact for machines, in milliseconds with a mark for people. */
export function inMs(us: number | null | undefined, least?: string): TableCell {
  return us === null || us === undefined ? null : { value: us, text: withBound(milliseconds(us), least) };
}

const mostRows = 90;

/** Reduces rows to at most 90, evenly spaced, and keeps the first and the last. */
export function thinned<T>(rows: readonly T[]): { rows: readonly T[]; note: string } {
  if (rows.length <= mostRows) return { rows, note: '' };
  const every = Math.ceil(rows.length / mostRows);
  return {
    rows: rows.filter((_, index) => index % every === 0 || index === rows.length - 1),
    note: `One of ${every} rows; result.json has all.`,
  };
}
