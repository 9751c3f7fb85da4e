import { milliseconds } from '../../words/figures.js';
import { html, Markup } from '../markup.js';
import type { Cell, Chart, Line } from './chart.js';

/** A chart's place in the page: its name, the box that the script draws into, its legend, and a table of its figures. */
export function chartFigure(chart: Chart, heading: 'h3' | 'h4' = 'h3'): Markup {
  const { id, title, summary, lines, size, x, y, table, tableNote } = chart;
  const name = `${id}-name`;
  const shown = heading === 'h3' ? html`<h3 id="${name}">${title}</h3>` : html`<h4 id="${name}">${title}</h4>`;
  const label = `${title}: ${summary} ${y.label} over ${x.label}. Its figures are in the table below.`;
  return html`<figure id="${id}" class="chart ${size}" aria-labelledby="${name}">
<figcaption>${shown}${size === 'large' ? html`<p>${summary}</p>` : ''}</figcaption>
<div class="plot" role="img" aria-label="${label}"></div>
<ul class="legend" aria-label="${`Lines of ${title}`}">${lines.map((line, index) => legendEntry(line, index, lines.length === 1))}<li class="at" aria-hidden="true"></li></ul>
<details><summary>Figures<span class="unseen"> of ${title}</span></summary>${dataTable(title, table.head, table.rows)}${tableNote === '' ? '' : html`<p class="aside">${tableNote}</p>`}</details>
</figure>
`;
}

/** A button hides its line; without its script a page has none to hide, and a sole line stays. */
function legendEntry({ label, color, dash, look, isHidden }: Line, index: number, isSole: boolean): Markup {
  const mark =
    look === 'points'
      ? html`<circle class="line-${color}" cx="16" cy="5" r="3.5"/>`
      : html`<line class="line-${color}" x1="0" y1="5" x2="32" y2="5" stroke-width="${look === 'thin' ? 1 : 2.5}" stroke-dasharray="${dash.join(' ')}"/>`;
  const entry = html`<svg width="32" height="10" aria-hidden="true">${mark}</svg> <span class="name">${label}</span> <span class="value" data-value="${index}"></span>`;
  if (isSole) return html`<li><span class="entry">${entry}</span></li>`;
  return html`<li><button type="button" class="entry" disabled aria-pressed="${isHidden ? 'false' : 'true'}">${entry}</button></li>`;
}

/** A table whose first column names its rows. */
export function dataTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly (Cell | Markup)[])[],
): Markup {
  const numeric = head.map((_title, column) => column > 0 && rows.every((row) => isNumeric(row[column])));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${head.map((title, column) => html`<th scope="col"${numeric[column] ? asNumber : ''}>${title}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...cells]) => html`<tr><th scope="row">${inCell(first)}</th>${cells.map((cell, index) => html`<td${numeric[index + 1] ? asNumber : ''}>${inCell(cell)}</td>`)}</tr>\n`)}</tbody></table></div>`;
}

const asNumber = html` class="number"`;

function isNumeric(cell: Cell | Markup | undefined): boolean {
  return cell instanceof Markup ? cell.text.startsWith('<data') : typeof cell !== 'string';
}

function inCell(cell: Cell | Markup | undefined): Markup | string {
  if (cell === null || cell === undefined) return '–';
  if (typeof cell === 'string' || cell instanceof Markup) return cell;
  if (typeof cell === 'object') return html`<data value="${cell.value}">${cell.text}</data>`;
  return html`<data value="${cell}">${cell.toLocaleString('en-US', { maximumFractionDigits: 3 })}</data>`;
}

/** Microseconds, exact for machines and in milliseconds, behind a mark, for people; null where the count does not carry the figure. */
export function inMs(us: number | null | undefined, mark = ''): Cell {
  return us === null || us === undefined ? null : { value: us, text: mark + milliseconds(us) };
}

/** At most so many rows of a table, evenly taken; the first and the last are among them. */
export function thinned<T>(rows: readonly T[], most: number): { rows: readonly T[]; note: string } {
  if (rows.length <= most) return { rows, note: '' };
  const every = Math.ceil(rows.length / most);
  return {
    rows: rows.filter((_, index) => index % every === 0 || index === rows.length - 1),
    note: `One of every ${every} rows; all of them are in result.json.`,
  };
}
