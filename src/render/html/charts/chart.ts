/** An axis. `percentile` is 1 / (1 - share) on a logarithmic scale, labelled by percentile. */
export interface Axis {
  label: string;
  scale: 'linear' | 'log' | 'percentile';
  range?: readonly [number, number];
  /** Without a range: axes of this name reach as far as the longest. */
  shared?: string;
}

export interface Line {
  label: string;
  color: number;
  dash: readonly number[];
  look: 'line' | 'thin' | 'points';
  isHidden?: boolean;
  points: Points;
}

/** Rising x with their y, where null is a gap; or a curve of the page. */
export type Points =
  | { x: readonly number[]; y: readonly (number | null)[] }
  | { curve: string; as: 'cdf' | 'spectrum' };

export interface Band {
  name: string;
  from: number;
  to: number;
}

/** A table's cell: text, a figure, nothing, or a figure printed in another unit. */
export type TableCell = string | number | null | { value: number; text: string };

export interface Table {
  head: readonly string[];
  rows: readonly (readonly TableCell[])[];
}

/** A chart as the page's script draws it, in a report and on a live page. */
export interface Chart {
  id: string;
  title: string;
  summary: string;
  x: Axis;
  y: Axis;
  lines: readonly Line[];
  bands: readonly Band[];
  /** Charts of one group share their cursor. */
  group?: string;
  size: 'large' | 'small';
  table: Table;
  /** What the table leaves out; may be empty. */
  tableNote: string;
}

/** A distribution as it is drawn: some ranks, ascending, each with its sample in microseconds. */
export interface DrawnCurve {
  count: number;
  ranks: readonly number[];
  us: readonly number[];
  /** The last rank with enough samples beyond it. */
  lastCarried: number;
}

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

/** Colour and dash of the n-th line: the first 64 share no pair, the first eight share neither. */
export function styleOf(n: number): { color: number; dash: readonly number[] } {
  return { color: n % colors, dash: dashes[(n + Math.floor(n / colors)) % dashes.length] as readonly number[] };
}
