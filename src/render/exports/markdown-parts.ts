import { outsideText } from '../../units/outside-text.js';

/** A table of GitHub's Markdown, its numbers aligned right; nothing without rows. `alignLeft` are the columns of words. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignLeft: readonly number[] = [0],
): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_title, index) => (alignLeft.includes(index) ? '---' : '--:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** A list of points; nothing of none. */
export function list(points: readonly string[]): string {
  return points.map((point) => `- ${point}`).join('\n');
}

/** Text as it is, on one line: nothing in it is markup, a cell's end or a mention, which GitHub looks for in what was rendered. */
export function inline(text: string): string {
  return oneLine(text)
    .replaceAll(/[\\`*_[\]<>|~#&]/g, (character) => `&#${character.codePointAt(0)};`)
    .replaceAll('@', '@<!-- -->');
}

/** Text as code, which may stand in a table; ticks in it would end it and are left out. */
export function code(text: string): string {
  return `\`${oneLine(text).replaceAll('`', '').replaceAll('|', '\\|')}\``;
}

function oneLine(text: string): string {
  return outsideText(text, Number.POSITIVE_INFINITY);
}
