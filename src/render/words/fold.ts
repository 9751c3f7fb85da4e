import { stripVTControlCharacters } from 'node:util';

/** What is folded keeps at least so many characters of a line to itself, or it hangs further left. */
const minRoom = 24;
const leastWidth = 40;

/**
 * Text whose lines are broken between words where they are wider than `width`: what goes on hangs below the beginning of the last column that leaves it
 * room, columns being parted by two spaces or more. Colours take no room. A word that is wider than a line stays whole.
 */
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

/** Where what is folded begins: below the last column, else two further than the line itself. */
function indentOf(line: string, width: number): number {
  const own = line.length - line.trimStart().length;
  const starts = [...line.matchAll(/\S {2,}(?=\S)/g)].map((gap) => gap.index + gap[0].length);
  return starts.findLast((start) => start <= width - minRoom) ?? own + 2;
}

function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
