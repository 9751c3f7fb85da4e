import type { Unit } from './unit.js';
import { parseSuffixed, printShortest, type Suffix } from './unit.js';

const suffixes: readonly Suffix[] = [
  { text: '/s', times: 1 },
  { text: '/m', times: 1, per: 60 },
];

const parse = (text: string): number | undefined => parseSuffixed(text, [...suffixes, { text: '', times: 1 }]);

/** Events per second: `10/s`, `600/m`, `0.5/s`; a bare number is per second. */
export const rate: Unit = {
  name: 'rate',
  placeholder: 'rate',
  parse,
  print: (value) => printShortest(value, suffixes, parse),
  expected: 'a rate such as 10/s or 600/m',
};
