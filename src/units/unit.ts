function parse(text: string): number | undefined {
  const [, percent] = /^(.*\S)\s*%$/.exec(text.trim()) ?? [];
  return percent === undefined ? undefined : parseDecimal(`${percent}e-2`);
}

/** Returns the shortest percentage from which `parse` gives exactly `value`. */
function print(value: number): string {
  for (let digits = 1; digits < 17; digits++) {
    const text = `${Number((value * 100).toPrecision(digits))}%`;
    if (parse(text) === value) return text;
  }
  return `${value * 100}%`;
}

/** Reads a part of a whole as a percentage: `5%` is 0.05. */
export const share: Unit = {
  placeholder: 'percent',
  parse,
  print,
  expected: 'a percentage such as 5%',
};

export type UnitName = 'duration' | 'bytes' | 'rate' | 'count' | 'share';

/** A timer of 2^31 milliseconds or more ends at once. */
export const longestMs = 24 * 86_400_000;

// Parts go from the longest to the shortest, each at most once: 1h30m, never 30m1h.
const durationParts = /^([^hms]+h)?([^hms]+m(?!s))?([^hms]+s)?([^hms]+ms)?$/;

/** Reads milliseconds: `250ms`, `10s`, `1.5s`, `1h`, `1m30s`. A bare number is wrong: it could mean seconds. */
export const duration = unitOf({
  placeholder: 'duration',
  expected: 'a duration such as 250ms, 10s or 1m30s',
  suffixes: { ms: 1, s: 1000, m: 60_000, h: 3_600_000 },
  parts: (text) => durationParts.exec(text)?.slice(1).filter(Boolean) ?? [],
});

/** Reads whole bytes: `200b`, `64kb` (64,000), `64kib` (65,536), `1mb`, `1mib`. A bare number is bytes. */
export const bytes = unitOf({
  placeholder: 'size',
  expected: 'a whole number of bytes such as 200b, 64kb or 1mib',
  suffixes: { b: 1, kb: 1000, kib: 1024, mb: 1_000_000, mib: 1_048_576, gb: 1e9, gib: 2 ** 30 },
  takesBare: true,
  isWhole: true,
});

/** Reads events per second: `10/s`, `600/m`, `0.5/s`. A bare number is per second. */
export const rate = unitOf({
  placeholder: 'rate',
  expected: 'a rate such as 10/s or 600/m',
  suffixes: { '/s': 1, '/m': 60 },
  isPer: true,
  takesBare: true,
});

/** Reads whole numbers from zero: `1000`, `10_000`, `10k`, `1m`. */
export const count = unitOf({
  placeholder: 'count',
  expected: 'a whole number such as 1000, 10_000 or 10k',
  suffixes: { '': 1, k: 1000, m: 1_000_000 },
  isWhole: true,
  parts: (text) => [text.replaceAll(/(?<=\d)_(?=\d)/g, '')],
});

export const units: Readonly<Record<UnitName, Unit>> = { duration, bytes, rate, count, share };

/** Describes a kind of quantity as users write it. `parse(print(x))` is `x` for every parsed value. */
export interface Unit {
  placeholder: string;
  expected: string;
  /** Parses a text. Undefined if it is not of this unit. */
  parse(text: string): number | undefined;
  /** Returns the shortest text with one suffix that parses to exactly `value`. Among equals, the first suffix wins. */
  print(value: number): string;
}

interface Declaration extends Pick<Unit, 'placeholder' | 'expected'> {
  /** Multiplier of each suffix, or divisor if `isPer`. A positive integer. */
  suffixes: Readonly<Record<string, number>>;
  isPer?: true;
  takesBare?: true;
  isWhole?: true;
  /** Splits a text, trimmed and in lower case, into the parts that add up to it. Empty if it is wrong. */
  parts?(text: string): string[];
}

// A non-negative decimal as JavaScript prints it, exponent included.
const decimal = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

/** Returns `text * times`, rounded once: `1.005` thousands are 1005. Undefined for anything but a finite decimal. */
export function parseDecimal(text: string, times = 1): number | undefined {
  const match = decimal.exec(text);
  if (!match) return undefined;
  const [, integer = '', fraction = '', exponent = '0'] = match;
  const value = Number(`${BigInt(integer + fraction) * BigInt(times)}e${Number(exponent) - fraction.length}`);
  return Number.isFinite(value) ? value : undefined;
}

export function unitOf({ suffixes, isPer, takesBare, isWhole, parts = (text) => [text], ...own }: Declaration): Unit {
  const printed = Object.entries(suffixes).map(([suffix, factor]) =>
    isPer ? { suffix, times: 1, per: factor } : { suffix, times: factor, per: 1 },
  );
  const known = takesBare ? [...printed, { suffix: '', times: 1, per: 1 }] : printed;
  const numberOf = (part: string): number => {
    for (const { suffix, times, per } of known) {
      const value = part.endsWith(suffix) ? parseDecimal(part.slice(0, part.length - suffix.length), times) : undefined;
      if (value !== undefined) return value / per;
    }
    return Number.NaN;
  };
  const parse = (text: string): number | undefined => {
    const values = parts(text.trim().toLowerCase()).map(numberOf);
    const total = values.reduce((sum, value) => sum + value, 0);
    if (values.length === 0 || Number.isNaN(total) || (isWhole && !Number.isSafeInteger(total))) return undefined;
    return total;
  };
  const print = (value: number): string => {
    const texts = printed.map(({ suffix, times, per }) => `${(value * per) / times}${suffix}`);
    return texts.reduce((shortest, text) => (text.length < shortest.length && parse(text) === value ? text : shortest));
  };
  return { ...own, parse, print };
}
