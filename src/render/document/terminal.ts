import { columns, columnsOrBlocks, paint, type Style, tableWidth } from '../words/table.js';
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

function factsText({ facts, width }: Facts, style: Style): string {
  const own = width ?? 2 + Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, text]) => `${name.padEnd(own)}${line(text, style)}`).join('\n');
}

function tableText({ head, rows, left, ifNarrow = 'rowBlocks' }: DataTable, style: Style): string {
  const cells = rows.map((row) => row.map((cell) => line(cell, style)));
  if (ifNarrow === 'columns') return columns(head, cells, left);
  if (ifNarrow !== 'twoLines') return columnsOrBlocks(style.columns, head, cells, left, ifNarrow);
  const fits = (all: typeof cells): boolean => tableWidth(head, all, left) <= style.columns;
  const broken = cells.map((row) => row.map((cell) => cell.replace(' (', '\n(')));
  const fitting = [cells, broken].find(fits);
  return fitting ? columns(head, fitting, left) : columnsOrBlocks(style.columns, head, cells, left);
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
