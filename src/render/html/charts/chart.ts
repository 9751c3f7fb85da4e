import { dataTable, html, type Markup, type Table } from '../markup.js';

/** Describes an axis. `percentile` is 1 / (1 - share) on a logarithmic scale, with labels in percentiles. */
export interface Axis {
  label: string;
  scale: 'linear' | 'log' | 'percentile';
  range?: readonly [number, number];
}

export interface Line {
  label: string;
  color: number;
  dash: readonly number[];
  look: 'line' | 'thin' | 'points';
  points: Points;
}

/** Holds ascending x values with their y, where null is a gap, or the name of a curve of the page. */
export type Points =
  | { x: readonly number[]; y: readonly (number | null)[] }
  | { curve: string; as: 'cdf' | 'spectrum' };

export interface Band {
  name: string;
  from: number;
  to: number;
}

/** Describes a chart for the page's script, in a report and on a live page. */
export interface Chart {
  id: string;
  title: string;
  summary: string;
  x: Axis;
  y: Axis;
  lines: readonly Line[];
  bands?: readonly Band[];
  /** Charts of one group share their cursor. */
  group?: string;
  size?: 'small';
  table: Table;
  /** Names the parts that the table leaves out. */
  tableNote?: string;
}

/** Describes a drawn distribution: some ranks, ascending, each with its sample in microseconds. */
export interface Curve {
  count: number;
  ranks: readonly number[];
  us: readonly number[];
  /** The last rank with enough samples beyond it. */
  lastCarried: number;
  /** Those that its samples carry. */
  percentiles: readonly { share: number; us: number }[];
}

export interface PageData {
  charts: readonly Omit<Chart, 'table' | 'tableNote'>[];
  curves: Readonly<Record<string, Curve>>;
}

/** Returns what the script of a page draws, with no more digits than a screen shows. */
export function drawnOf({ table: _table, tableNote: _note, ...chart }: Chart): PageData['charts'][number] {
  const lines = chart.lines.map((line) => {
    if ('curve' in line.points) return line;
    const x = line.points.x.map((each) => Math.round(each * 1000) / 1000);
    const y = line.points.y.map((each) => (each === null ? null : Number(each.toPrecision(6))));
    return { ...line, points: { x, y } };
  });
  return { ...chart, lines };
}

/** Number of colours in the palette of the style sheet. */
export const colors = 8;

/** On a linear axis, a line lies flat under another that is this many times higher. */
const widest = 20;

/** Returns true if positive values need a logarithmic axis. */
export function isSpread(values: readonly (number | null | undefined)[]): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (!value) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return most / least > widest;
}

const dashes: readonly (readonly number[])[] = [
  [],
  [9, 4],
  [2, 3],
  [12, 3, 2, 3],
  [5, 3],
  [16, 5],
  [2, 6],
  [7, 2, 2, 2, 2, 2],
];

/** Returns the colour and dash of the n-th line: 64 pairs, of which the first eight share neither. */
export function styleOf(n: number): { color: number; dash: readonly number[] } {
  return { color: n % colors, dash: dashes[(n + Math.floor(n / colors)) % dashes.length] as readonly number[] };
}

export function chartFigure(chart: Chart, heading: 'h2' | 'h3' | 'h4' = 'h3'): Markup {
  const { id, title, summary, lines, size, x, y, table, tableNote = '' } = chart;
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
<figcaption>${shown}${size !== 'small' && html`<p>${summary}</p>`}</figcaption>
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
