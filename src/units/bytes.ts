import { parseSuffixed, printShortest, type Suffix } from './decimal.js';
import type { Unit } from './unit.js';

const suffixes: readonly Suffix[] = [
  { text: 'b', times: 1, per: 1 },
  { text: 'kb', times: 1000, per: 1 },
  { text: 'kib', times: 1024, per: 1 },
  { text: 'mb', times: 1_000_000, per: 1 },
  { text: 'mib', times: 1_048_576, per: 1 },
];

const readable: readonly Suffix[] = [...suffixes, { text: '', times: 1, per: 1 }];

function parse(text: string): number | undefined {
  const value = parseSuffixed(text, readable);
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
