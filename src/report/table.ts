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
  const short = rows.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? plain(cell).slice(0, sentence) : cell)),
  );
  const needed = Math.max(
    ...columns(head, short, alignLeft)
      .split('\n')
      .map((line) => plain(line).length),
  );
  if (needed <= width) return columns(head, rows, alignLeft);
  const [, ...titles] = head;
  const label = Math.max(...titles.map((title) => title.length));
  return rows
    .map(([name = '', ...cells]) =>
      [name, ...cells.map((cell, index) => `  ${(titles[index] ?? '').padEnd(label)}  ${cell}`)].join('\n'),
    )
    .join('\n');
}

function plain(text: string): string {
  return stripVTControlCharacters(text);
}
