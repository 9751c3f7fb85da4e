import { stripVTControlCharacters as plain } from 'node:util';
import Table from 'cli-table3';

const edges = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((edge) => [edge, `${edge}-mid`]);
const corners = ['top-left', 'top-right', 'bottom-left', 'bottom-right'];
const bare = { ...Object.fromEntries([...edges, ...corners].map((each) => [each, ''])), middle: '  ' };

type Rows = readonly (readonly string[])[];

/** Text columns without rules, aligned right except for those in `alignLeft`. */
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

/** The columns if they fit `width`; otherwise a block for each row under its first cell. */
export function columnsOrBlocks(
  width: number,
  head: readonly string[],
  rows: Rows,
  alignLeft: readonly number[] = [0],
): string {
  if (neededWidth(head, rows, alignLeft) <= width) return columns(head, rows, alignLeft);
  const [, ...titles] = head;
  const label = Math.max(...titles.map((title) => title.length));
  return rows
    .map(([name = '', ...cells]) =>
      [name, ...cells.map((cell, index) => `  ${(titles[index] ?? '').padEnd(label)}  ${cell}`)].join('\n'),
    )
    .join('\n');
}

/** The columns if they fit `width`; otherwise a block for each column, the last first, without dashes. */
export function columnsOrColumnBlocks(
  width: number,
  head: readonly string[],
  rows: Rows,
  alignLeft: readonly number[] = [0],
): string {
  if (neededWidth(head, rows, alignLeft) <= width) return columns(head, rows, alignLeft);
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

/** A last cell may run over the edge beyond this many characters. */
const sentence = 24;

function neededWidth(head: readonly string[], rows: Rows, alignLeft: readonly number[]): number {
  const short = rows.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? plain(cell).slice(0, sentence) : cell)),
  );
  const lines = columns(head, short, alignLeft).split('\n');
  return Math.max(...lines.map((line) => plain(line).length));
}
