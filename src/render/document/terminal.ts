import { columns, columnsOrBlocks, columnsOrColumnBlocks, paint, type Style, tableWidth } from '../words/table.js';
import {
  type Block,
  type DataTable,
  type Document,
  type Facts,
  isAligned,
  isFacts,
  isTable,
  type Line,
  type Part,
  piecesOf,
  toned,
} from './document.js';

/** Prints a document for a terminal: all of it, or in brief. Parts without blocks are left out. */
export function terminalText(
  { title, isTitleHidden = false, parts, details = [] }: Document,
  style: Style,
  isBrief = false,
): string {
  const left = isBrief ? 'whole' : 'brief';
  const paragraphs: string[][] = [isTitleHidden ? [] : [heading(title, style)]];
  for (const [index, part] of parts.filter(({ only }) => only !== 'exports' && only !== left).entries()) {
    const lines = partLines(part, style);
    if (index === 0 || part.isJoined) paragraphs.at(-1)?.push(...lines);
    else if (lines.length > 0) paragraphs.push(lines);
  }
  const own = paragraphs.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return [...(isBrief ? [] : details.map((each) => terminalText(each, style))), ...own].join('\n\n');
}

function partLines({ title, blocks }: Part, style: Style): string[] {
  const printed = blocks.map((block) => blockText(block, style));
  return title === undefined || blocks.length === 0 ? printed : [heading(title, style), ...printed];
}

function blockText(block: Block, style: Style): string {
  if (isTable(block)) return tableText(block, style);
  if (isAligned(block)) return block.aligned.map((each) => line(each, style)).join('\n');
  if (isFacts(block)) return factsText(block, style);
  return line(block, style);
}

function factsText(
  { facts, width = 2 + Math.max(...facts.map(([name]) => name.length)) }: Facts,
  style: Style,
): string {
  return facts.map(([name, text]) => `${name.padEnd(width)}${line(text, style)}`).join('\n');
}

function tableText({ head, rows, left, bars, ifNarrow = 'rowBlocks' }: DataTable, style: Style): string {
  const cells = rows.map((row) => row.map((cell) => line(cell, style)));
  if (bars) {
    const room = style.columns - tableWidth(head, cells, left) - 2;
    if (room >= leastBarColumns) {
      const drawn = bars.map((share) => bar(share, Math.min(barColumns, room)));
      const barred = cells.map((row, index) => [...row, drawn[index] ?? '']);
      return columns([...head, ''], barred, [...(left ?? [0]), head.length]);
    }
  }
  switch (ifNarrow) {
    case 'rowBlocks':
      return columnsOrBlocks(style.columns, head, cells, left);
    case 'columnBlocks':
      return columnsOrColumnBlocks(style.columns, head, cells, left);
    case 'columns':
      return columns(head, cells, left);
    case 'twoLines': {
      const fits = (rows: typeof cells): boolean => tableWidth(head, rows, left) <= style.columns;
      if (fits(cells)) return columns(head, cells, left);
      const broken = cells.map((row) => row.map((cell) => cell.replace(' (', '\n(')));
      return fits(broken) ? columns(head, broken, left) : columnsOrBlocks(style.columns, head, cells, left);
    }
  }
}

const barColumns = 24;
const leastBarColumns = 8;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

function bar(share: number, width: number): string {
  const length = Math.round(share * width * 8);
  return `${'█'.repeat(Math.floor(length / 8))}${eighths[length % 8]}`;
}

function heading(title: Line, style: Style): string {
  return line(typeof title === 'string' ? toned.title(title) : title, style);
}

function line(given: Line, style: Style): string {
  const paints = { ...paint(style), plain: (text: string): string => text };
  return piecesOf(given)
    .map(({ text, tone }) => paints[tone](text))
    .join('');
}
