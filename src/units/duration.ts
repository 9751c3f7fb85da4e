import { parseSuffixed, printShortest, type Suffix } from './decimal.js';
import type { Unit } from './unit.js';

const suffixes: readonly Suffix[] = [
  { text: 'ms', times: 1, per: 1 },
  { text: 's', times: 1000, per: 1 },
  { text: 'm', times: 60_000, per: 1 },
  { text: 'h', times: 3_600_000, per: 1 },
];

// Parts stand from the longest to the shortest, each at most once: 1h30m, never 30m1h. What a part holds is judged by itself.
const parts = /^([^hms]+h)?([^hms]+m(?!s))?([^hms]+s)?([^hms]+ms)?$/;

function parse(text: string): number | undefined {
  const given = parts.exec(text.trim().toLowerCase())?.slice(1).filter(Boolean) ?? [];
  if (given.length === 0) return undefined;
  let total = 0;
  for (const part of given) {
    const value = parseSuffixed(part, suffixes);
    if (value === undefined) return undefined;
    total += value;
  }
  return total;
}

/** A timer that is set for more, 2^31 milliseconds at least, ends at once. */
export const longestMs = 24 * 86_400_000;

/** Milliseconds: `250ms`, `10s`, `1.5s`, `2m`, `1h`, `1m30s`. A bare number is refused: nobody can say whether it means seconds. */
export const duration: Unit = {
  name: 'duration',
  placeholder: 'duration',
  parse,
  print: (value) => printShortest(value, suffixes, parse),
  expected: 'a duration such as 250ms, 10s or 1m30s',
};
