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

/** Describes a table cell: text, a figure, nothing, or a figure printed in another unit. */
export type TableCell = string | number | null | { value: number; text: string };

export interface Table {
  head: readonly string[];
  rows: readonly (readonly TableCell[])[];
}

/** Describes a chart for the page's script, in a report and on a live page. */
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
  /** Names the parts that the table leaves out. It can be empty. */
  tableNote: string;
}

/** Describes a drawn distribution: some ranks, ascending, each with its sample in microseconds. */
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
