import { stripVTControlCharacters } from 'node:util';

const minRoom = 24;
const leastWidth = 40;

/** Breaks lines between words at `width` and indents below the last column with room; colours take no room. */
export function fold(text: string, width: number): string {
  if (width < leastWidth || !Number.isFinite(width)) return text;
  return text
    .split('\n')
    .map((line) => (lengthOf(line) <= width ? line : foldLine(line, width)))
    .join('\n');
}

function foldLine(line: string, width: number): string {
  const indent = indentOf(stripVTControlCharacters(line), width);
  // A word takes the spaces before it with it, so that columns stay where they are.
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

/** Below the last column, or two further than the line itself. */
function indentOf(line: string, width: number): number {
  const own = line.length - line.trimStart().length;
  const starts = [...line.matchAll(/\S {2,}(?=\S)/g)].map((gap) => gap.index + gap[0].length);
  return starts.findLast((start) => start <= width - minRoom) ?? own + 2;
}

function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
