import type { Unit } from './unit.js';
import { parseSuffixed, printShortest, type Suffix } from './unit.js';

const suffixes: readonly Suffix[] = [
  { text: '', times: 1 },
  { text: 'k', times: 1000 },
  { text: 'm', times: 1_000_000 },
];

function parse(text: string): number | undefined {
  const value = parseSuffixed(text.replaceAll(/(?<=\d)_(?=\d)/g, ''), suffixes);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Whole numbers from zero: `1000`, `10_000`, `10k`, `1m`. */
export const count: Unit = {
  name: 'count',
  placeholder: 'count',
  parse,
  print: (value) => printShortest(value, suffixes, parse),
  expected: 'a whole number such as 1000, 10_000 or 10k',
};
