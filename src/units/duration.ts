import type { Unit } from './unit.js';
import { parseSuffixed, printShortest, type Suffix } from './unit.js';

const suffixes: readonly Suffix[] = [
  { text: 'ms', times: 1 },
  { text: 's', times: 1000 },
  { text: 'm', times: 60_000 },
  { text: 'h', times: 3_600_000 },
];

// Parts go from the longest to the shortest, each at most once: 1h30m, never 30m1h.
const parts = /^([^hms]+h)?([^hms]+m(?!s))?([^hms]+s)?([^hms]+ms)?$/;

function parse(text: string): number | undefined {
  const given = parts.exec(text.trim().toLowerCase())?.slice(1).filter(Boolean) ?? [];
  const values = given.map((part) => parseSuffixed(part, suffixes) ?? Number.NaN);
  const total = values.reduce((sum, value) => sum + value, 0);
  return values.length === 0 || Number.isNaN(total) ? undefined : total;
}

/** A longer timer, of 2^31 milliseconds or more, ends at once. */
export const longestMs = 24 * 86_400_000;

/** Milliseconds: `250ms`, `10s`, `1.5s`, `2m`, `1h`, `1m30s`. A bare number is wrong, as it could mean seconds. */
export const duration: Unit = {
  name: 'duration',
  placeholder: 'duration',
  parse,
  print: (value) => printShortest(value, suffixes, parse),
  expected: 'a duration such as 250ms, 10s or 1m30s',
};
