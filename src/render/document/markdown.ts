import { outsideText } from '../../units/text.js';
import {
  answerFirst,
  type Block,
  type DataTable,
  type Document,
  isAligned,
  isFacts,
  isTable,
  type Line,
  type Part,
  piecesOf,
  plainText,
  type Tone,
} from './document.js';

/** Prints a document as Markdown for a pull request or a job summary. Details are folded. */
export function markdownText(document: Document): string {
  const { title, footer = [], details = [] } = document;
  const texts = [
    `### ${inline(plainText(title))}`,
    ...answerFirst(document).flatMap(partTexts),
    ...details.flatMap((each) => foldedTexts(each.name, [markdownText(each).trimEnd()])),
    footer.length > 0 ? `<sub>${footer.map(inline).join(' · ')}</sub>` : '',
  ];
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`;
}

function partTexts({ title, blocks, folded }: Part): string[] {
  const texts = [...(title === undefined ? [] : [`**${inline(plainText(title))}**`]), ...blockTexts(blocks)];
  if (folded === undefined) return texts;
  return foldedTexts(folded, texts);
}

function foldedTexts(name: string, texts: readonly string[]): string[] {
  return [`<details><summary>${inline(name)}</summary>`, ...texts, '</details>'];
}

function blockTexts(blocks: readonly Block[]): string[] {
  const texts: string[] = [];
  let lines: string[] = [];
  const endLines = (): void => {
    texts.push(lines.length === 1 ? (lines[0] as string) : list(lines));
    lines = [];
  };
  for (const block of blocks) {
    if (isFacts(block)) {
      lines.push(...block.facts.map(factText));
      continue;
    }
    if (!isTable(block) && !isAligned(block)) {
      lines.push(lineText(block));
      continue;
    }
    endLines();
    texts.push(isTable(block) ? tableMarkdown(block) : fenced(block.aligned));
  }
  endLines();
  return texts;
}

function factText([name, line]: readonly [string, Line]): string {
  return name === '' ? lineText(line) : `${inline(name)}: ${lineText(line)}`;
}

export function tableMarkdown({ head, rows, left }: DataTable): string {
  return markdownTable(
    head.map(inline),
    rows.map((row) => row.map(cellText)),
    left,
  );
}

function fenced(lines: readonly Line[]): string {
  return ['```text', ...lines.map((each) => plainText(each).replaceAll('```', '')), '```'].join('\n');
}

const marks: Readonly<Partial<Record<Tone, string>>> = { good: '✅', doubtful: '⚠️', bad: '❌' };
/** Marks of a terminal, which `marks` replace. */
const terminalMarks = /^[✓✗?!]\s*/;

function lineText(line: Line): string {
  const spans = piecesOf(line);
  const text = spans
    .map((span) => spanText(span, span.tone === 'doubtful' || span.tone === 'bad'))
    .join('')
    .trim();
  return spans.every(({ tone }) => tone === 'aside') ? `<sub>${text}</sub>` : text;
}

function cellText(line: Line): string {
  return piecesOf(line)
    .map((span) => spanText(span, false))
    .join('')
    .trim();
}

function spanText({ text, tone, isCode }: ReturnType<typeof piecesOf>[number], isBold: boolean): string {
  const mark = marks[tone];
  const words = mark === undefined ? text.trim() : text.trim().replace(terminalMarks, '');
  const escaped = isCode ? codeSpan(words) : inline(words);
  const shown = words !== '' && (isBold || tone === 'title') ? `**${escaped}**` : escaped;
  const marked = mark === undefined ? shown : `${mark} ${shown}`.trim();
  return text.trim() === '' ? text : text.replace(text.trim(), () => marked);
}

/** Formats a GitHub table, aligned right except for the columns in `alignLeft`. Returns an empty text without rows. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignLeft: readonly number[] = [0],
): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_title, index) => (alignLeft.includes(index) ? '---' : '--:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

export function list(points: readonly string[]): string {
  return points.map((point) => `- ${point}`).join('\n');
}

/** Formats plain text on one line, and escapes markup, cell separators and mentions. */
export function inline(text: string): string {
  return oneLine(text)
    .replaceAll(/[\\`*_[\]<>|~#&]/g, (character) => `&#${character.codePointAt(0)};`)
    .replaceAll('@', '@<!-- -->');
}

/** Formats text as code, also in a table. Backticks are dropped. */
export function codeSpan(text: string): string {
  return `\`${oneLine(text).replaceAll('`', '').replaceAll('|', '\\|')}\``;
}

function oneLine(text: string): string {
  return outsideText(text, Number.POSITIVE_INFINITY);
}
