// A non-negative decimal as JavaScript prints it, exponent included, so that every printed number can be read back.
const decimal = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

/** How a suffix changes a number: `value = number * times / per`, both positive integers. */
export interface Suffix {
  text: string;
  times: number;
  per: number;
}

/** `text * times`, rounded once, so that `1.005` thousands are 1005; undefined where the text is no non-negative finite decimal. */
export function parseDecimal(text: string, times = 1): number | undefined {
  const match = decimal.exec(text);
  if (!match) return undefined;
  const [, integer = '', fraction = '', exponent = '0'] = match;
  const value = Number(`${BigInt(integer + fraction) * BigInt(times)}e${Number(exponent) - fraction.length}`);
  return Number.isFinite(value) ? value : undefined;
}

/** The value of a text that ends in one of the suffixes; a suffix without text stands for a bare number. */
export function parseSuffixed(text: string, suffixes: readonly Suffix[]): number | undefined {
  const lower = text.trim().toLowerCase();
  for (const suffix of suffixes) {
    if (!lower.endsWith(suffix.text)) continue;
    const value = parseDecimal(lower.slice(0, lower.length - suffix.text.length), suffix.times);
    if (value !== undefined) return value / suffix.per;
  }
  return undefined;
}

/** The shortest text with one of the suffixes from which `parse` gives exactly `value`; among equally short ones the first suffix wins. */
export function printShortest(
  value: number,
  suffixes: readonly Suffix[],
  parse: (text: string) => number | undefined,
): string {
  const [plain, ...others] = suffixes as [Suffix, ...Suffix[]];
  let shortest = `${value}${plain.text}`;
  for (const suffix of others) {
    const text = `${(value * suffix.per) / suffix.times}${suffix.text}`;
    if (text.length < shortest.length && parse(text) === value) shortest = text;
  }
  return shortest;
}
