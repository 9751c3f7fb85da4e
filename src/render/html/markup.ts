import { milliseconds } from '../words/values.js';
import { withBound } from '../words/verdict-words.js';

/** Holds HTML that is already escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | null | undefined | false | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function print(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(print).join('');
  return String(part).replace(/[&<>"']/g, (each) => entities[each] as string);
}

/** Builds HTML from a template. Text is escaped, markup is not, lists are joined, and null and false are empty. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.map((text, index) => text + print(parts[index])).join(''));
}

/** Describes a table cell: text, a figure, nothing, or a figure printed in another unit. */
export type TableCell = string | number | null | { value: number; text: string };

export interface Table {
  head: readonly string[];
  rows: readonly (readonly TableCell[])[];
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
