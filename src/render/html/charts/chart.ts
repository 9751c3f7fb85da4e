/** How an axis is laid out. `percentile` is 1 / (1 - share), drawn on a logarithmic scale and labelled by percentile. */
export interface Axis {
  label: string;
  scale: 'linear' | 'log' | 'percentile';
  /** Both ends, where several charts share them. */
  range?: readonly [number, number];
  /** Without a range: axes of this name reach as far as the longest of them. */
  shared?: string;
}

/** One line of a chart. Lines are told apart by dash as well as by colour. */
export interface Line {
  label: string;
  /** Of the palette of the style sheet. */
  color: number;
  dash: readonly number[];
  look: 'line' | 'thin' | 'points';
  /** Not drawn until its button in the legend is pressed. */
  isHidden?: boolean;
  points: Points;
}

/** Rising x with their y, where null is a gap; or a curve of the page, read as what the chart is. */
export type Points =
  | { x: readonly number[]; y: readonly (number | null)[] }
  | { curve: string; as: 'cdf' | 'spectrum' };

/** A stretch of the x axis that has a name. */
export interface Band {
  name: string;
  from: number;
  to: number;
}

/** What a table's cell holds: text, a figure, nothing, or a figure that is printed in another unit than it is kept in. */
export type Cell = string | number | null | { value: number; text: string };

/** The first column names the rows. */
export interface Table {
  head: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** A chart as the page's script draws it: plain data, the same in a report and on a live page. */
export interface Chart {
  id: string;
  title: string;
  /** What is seen, in a sentence. */
  summary: string;
  x: Axis;
  y: Axis;
  lines: readonly Line[];
  bands: readonly Band[];
  /** Charts of one group share their cursor. */
  group?: string;
  size: 'large' | 'small';
  table: Table;
  /** What the table leaves out; empty where it has every figure. */
  tableNote: string;
}

/** A distribution as it is drawn: some of its ranks, ascending, with the sample that has each, in microseconds. */
export interface DrawnCurve {
  count: number;
  ranks: readonly number[];
  us: readonly number[];
  /** The last rank that is a percentile the count carries. */
  lastCarried: number;
}

/** What the page's script reads: everything that it draws. */
export interface PageData {
  charts: readonly Omit<Chart, 'table' | 'tableNote'>[];
  curves: Readonly<Record<string, DrawnCurve>>;
}

/** Colours in the palette of the style sheet. */
export const colors = 8;

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

/** Colour and dash of the n-th thing that is told apart: no two of the first 64 share both, and no two of the first eight share either. */
export function styleOf(n: number): { color: number; dash: readonly number[] } {
  return { color: n % colors, dash: dashes[(n + Math.floor(n / colors)) % dashes.length] as readonly number[] };
}
