/** A kind of quantity as users write it. `parse(print(x))` is `x` for every parsed value. */
export interface Unit {
  name: string;
  /** For help: `--hold <duration>`. */
  placeholder: string;
  /** Undefined for a text that is not of this unit. */
  parse(text: string): number | undefined;
  /** The shortest text with one suffix that gives exactly `value` back. */
  print(value: number): string;
  expected: string;
}

// A non-negative decimal as JavaScript prints it, exponent included.
const decimal = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

/** What a suffix makes of a number: `value = number * times / per` (1), both positive integers. */
export interface Suffix {
  text: string;
  times: number;
  per?: number;
}

/** `text * times`, rounded once: `1.005` thousands are 1005. Undefined for anything but a finite decimal. */
export function parseDecimal(text: string, times = 1): number | undefined {
  const match = decimal.exec(text);
  if (!match) return undefined;
  const [, integer = '', fraction = '', exponent = '0'] = match;
  const value = Number(`${BigInt(integer + fraction) * BigInt(times)}e${Number(exponent) - fraction.length}`);
  return Number.isFinite(value) ? value : undefined;
}

/** The value of a text with one of the suffixes; an empty suffix stands for a bare number. */
export function parseSuffixed(text: string, suffixes: readonly Suffix[]): number | undefined {
  const lower = text.trim().toLowerCase();
  for (const suffix of suffixes) {
    if (!lower.endsWith(suffix.text)) continue;
    const value = parseDecimal(lower.slice(0, lower.length - suffix.text.length), suffix.times);
    if (value !== undefined) return value / (suffix.per ?? 1);
  }
  return undefined;
}

/** The shortest text with a suffix from which `parse` gives exactly `value`; of equals, the first suffix. */
export function printShortest(
  value: number,
  suffixes: readonly Suffix[],
  parse: (text: string) => number | undefined,
): string {
  const [plain, ...others] = suffixes as [Suffix, ...Suffix[]];
  let shortest = `${value}${plain.text}`;
  for (const suffix of others) {
    const text = `${(value * (suffix.per ?? 1)) / suffix.times}${suffix.text}`;
    if (text.length < shortest.length && parse(text) === value) shortest = text;
  }
  return shortest;
}
