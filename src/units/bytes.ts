import type { Unit } from './unit.js';
import { parseSuffixed, printShortest, type Suffix } from './unit.js';

const suffixes: readonly Suffix[] = [
  { text: 'b', times: 1 },
  { text: 'kb', times: 1000 },
  { text: 'kib', times: 1024 },
  { text: 'mb', times: 1_000_000 },
  { text: 'mib', times: 1_048_576 },
];

function parse(text: string): number | undefined {
  const value = parseSuffixed(text, [...suffixes, { text: '', times: 1 }]);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Whole bytes: `200b`, `64kb` (64,000), `64kib` (65,536), `1mb`, `1mib`; a bare number is bytes. */
export const bytes: Unit = {
  name: 'bytes',
  placeholder: 'size',
  parse,
  print: (value) => printShortest(value, suffixes, parse),
  expected: 'a whole number of bytes such as 200b, 64kb or 1mib',
};
