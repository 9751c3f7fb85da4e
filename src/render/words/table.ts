import { stripVTControlCharacters as plain } from 'node:util';
import Table from 'cli-table3';
import pc from 'picocolors';

const minRoom = 24;
const leastWidth = 40;

/** Breaks lines between words at `width` and indents below the last column with room. Colours count as no width. */
export function fold(text: string, width: number): string {
  if (width < leastWidth || !Number.isFinite(width)) return text;
  return text
    .split('\n')
    .map((line) => (lengthOf(line) <= width ? line : foldLine(line, width)))
    .join('\n');
}

function foldLine(line: string, width: number): string {
  const indent = indentOf(plain(line), width);
  // A word keeps the spaces before it, so that columns stay aligned.
  const words = line.match(/\s*\S+/g) ?? [];
  const folded: string[] = [];
  let current = '';
  for (const word of words) {
    if (current === '' || lengthOf(current + word) <= width) current += word;
    else {
      folded.push(current);
      current = `${' '.repeat(indent)}${word.trimStart()}`;
    }
  }
  return [...folded, current].join('\n');
}

/** Returns the indent: below the last column, or two further than the line itself. */
function indentOf(line: string, width: number): number {
  const own = line.length - line.trimStart().length;
  const starts = [...line.matchAll(/\S {2,}(?=\S)/g)].map((gap) => gap.index + gap[0].length);
  return starts.findLast((start) => start <= width - minRoom) ?? own + 2;
}

function lengthOf(text: string): number {
  return plain(text).length;
}

const edges = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((edge) => [edge, `${edge}-mid`]);
const corners = ['top-left', 'top-right', 'bottom-left', 'bottom-right'];
const bare = { ...Object.fromEntries([...edges, ...corners].map((each) => [each, ''])), middle: '  ' };

type Rows = readonly (readonly string[])[];

/** Formats text columns without rules, aligned right except for those in `alignLeft`. */
export function columns(head: readonly string[], rows: Rows, alignLeft: readonly number[] = [0]): string {
  const table = new Table({
    head: [...head],
    chars: bare,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: head.map((_title, index) => (alignLeft.includes(index) ? 'left' : 'right')),
  });
  table.push(...rows.map((row) => [...row]));
  const lines = table.toString().split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Formats columns if they fit `width`. Otherwise it formats a block for each row or for each column. */
export function columnsOrBlocks(
  width: number,
  head: readonly string[],
  rows: Rows,
  alignLeft: readonly number[] = [0],
  blocks: 'rowBlocks' | 'columnBlocks' = 'rowBlocks',
): string {
  if (neededWidth(head, rows, alignLeft) <= width) return columns(head, rows, alignLeft);
  return blocks === 'rowBlocks' ? rowBlocks(head, rows) : columnBlocks(head, rows, alignLeft);
}

function rowBlocks([, ...titles]: readonly string[], rows: Rows): string {
  const label = Math.max(...titles.map((title) => title.length));
  return rows
    .map(([name = '', ...cells]) =>
      [name, ...cells.map((cell, index) => `  ${(titles[index] ?? '').padEnd(label)}  ${cell}`)].join('\n'),
    )
    .join('\n');
}

/** Formats a block for each column, the last first, without dashes. */
function columnBlocks(head: readonly string[], rows: Rows, alignLeft: readonly number[]): string {
  const label = Math.max(...rows.map(([name = '']) => name.length));
  const last = head.length - 1;
  return [last, ...head.keys()]
    .filter((column, n) => column > 0 && (n === 0 || column < last))
    .flatMap((column) => {
      const cells = rows.flatMap((row): [string, string][] => {
        const [name = '', cell = ''] = [row[0], row[column]];
        return column < last && plain(cell) === '–' ? [] : [[`  ${name.padEnd(label)}`, cell]];
      });
      if (cells.length === 0) return [];
      return [head[column] ?? '', columns(['', ''], cells, alignLeft.includes(column) ? [0, 1] : [0]).slice(1)];
    })
    .join('\n');
}

/** Only this many characters of a last cell must fit the width. */
const sentence = 24;

function neededWidth(head: readonly string[], rows: Rows, alignLeft: readonly number[]): number {
  const short = rows.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? plain(cell).slice(0, sentence) : cell)),
  );
  return tableWidth(head, short, alignLeft);
}

export function tableWidth(head: readonly string[], rows: Rows, alignLeft?: readonly number[]): number {
  return Math.max(...columns(head, rows, alignLeft).split('\n').map(lengthOf));
}

export interface Style {
  isColored: boolean;
  columns: number;
}

/** Names colours by their meaning. Text stays plain if the style has no colours. */
export function paint({ isColored }: Style) {
  const colors = pc.createColors(isColored);
  return {
    title: colors.bold,
    aside: colors.dim,
    good: colors.green,
    doubtful: (text: string) => colors.bold(colors.yellow(text)),
    bad: (text: string) => colors.bold(colors.red(text)),
  };
}
