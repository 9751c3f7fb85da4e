import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';

const bare = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Text columns without rules: the first aligned left, the others right, unless said otherwise. */
export function columns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignLeft: readonly number[] = [0],
): string {
  const table = new Table({
    head: [...head],
    chars: bare,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: head.map((_title, index) => (alignLeft.includes(index) ? 'left' : 'right')),
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A last cell may run over the edge of the terminal by what it says beyond this many characters. */
const sentence = 24;

/** The same columns where they fit a terminal of `width`; otherwise a block for each row, its first cell above the others. */
export function columnsOrBlocks(
  width: number,
  head: readonly string[],
  rows: readonly (readonly string[])[],
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

/**
 * The same columns where they fit a terminal of `width`; otherwise a block for each column, the last one first, so that what is to be held against each
 * other stands together. Of a column that is no sentence, dashes are left out.
 */
export function columnsOrColumnBlocks(
  width: number,
  head: readonly string[],
  rows: readonly (readonly string[])[],
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
        return column < last && plain(cell) === nothing ? [] : [[`  ${name.padEnd(label)}`, cell]];
      });
      if (cells.length === 0) return [];
      return [head[column] ?? '', columns(['', ''], cells, alignLeft.includes(column) ? [0, 1] : [0]).slice(1)];
    })
    .join('\n');
}

/** A cell that has nothing to say. */
const nothing = '–';

/** How wide the columns are, of a last cell so much as must stand in its line. */
function neededWidth(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignLeft: readonly number[],
): number {
  const short = rows.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? plain(cell).slice(0, sentence) : cell)),
  );
  return Math.max(
    ...columns(head, short, alignLeft)
      .split('\n')
      .map((line) => plain(line).length),
  );
}

function plain(text: string): string {
  return stripVTControlCharacters(text);
}
