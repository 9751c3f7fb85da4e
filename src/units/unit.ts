/** A kind of quantity as users write it. `parse(print(x))` is `x` for every parsed value. */
export interface Unit {
  /** For help: `--hold <duration>`. */
  placeholder: string;
  expected: string;
  /** Undefined for a text that is not of this unit. */
  parse(text: string): number | undefined;
  /** The shortest text with one suffix that gives exactly `value` back; of equals, that of the first suffix. */
  print(value: number): string;
}

interface Declaration extends Pick<Unit, 'placeholder' | 'expected'> {
  /** What each suffix multiplies a number with, or divides it by if `isPer`; a positive integer. */
  suffixes: Readonly<Record<string, number>>;
  isPer?: true;
  takesBare?: true;
  isWhole?: true;
  /** The parts that a text, trimmed and in lower case, is the sum of; none if it is wrong. */
  parts?(text: string): string[];
}

// A non-negative decimal as JavaScript prints it, exponent included.
const decimal = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

/** `text * times`, rounded once: `1.005` thousands are 1005. Undefined for anything but a finite decimal. */
export function parseDecimal(text: string, times = 1): number | undefined {
  const match = decimal.exec(text);
  if (!match) return undefined;
  const [, integer = '', fraction = '', exponent = '0'] = match;
  const value = Number(`${BigInt(integer + fraction) * BigInt(times)}e${Number(exponent) - fraction.length}`);
  return Number.isFinite(value) ? value : undefined;
}

/** A unit made of its suffixes. */
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
