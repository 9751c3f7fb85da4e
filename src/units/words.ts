/** A count with its thousands apart. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** A number with its noun: `1 run`, `3 runs`. */
export function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

const fewNamed = 3;

/** The first three of several texts, and how many more there are: `one; two; three; and 7 more`. */
export function firstFew(texts: readonly string[], separator = '; '): string {
  const more = texts.length - fewNamed;
  return [...texts.slice(0, fewNamed), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
}

/** A part of a whole as a percentage, 100 only if nothing is missing; a dash for an empty whole. */
export function shareOf(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (part / whole) * 100;
  return `${part < whole ? Math.min(percent, 99.99).toFixed(2) : '100'} %`;
}

/** A cause without its detail: `http-status` of `http-status:503`. */
export function kindOfCause(cause: string): string {
  return cause.split(':')[0] ?? cause;
}

/** Causes by their counts, the commonest first. */
export function commonestFirst(counts: Readonly<Record<string, number>>): [cause: string, times: number][] {
  return Object.entries(counts).sort(([, a], [, b]) => b - a);
}

const mostNamed = 10;

/** Counts by cause, the commonest ten by name: `reset × 12, close-code:1006 × 1`. */
export function causesInWords(counts: Readonly<Record<string, number>> = {}): string {
  const all = commonestFirst(counts);
  const rest = all.slice(mostNamed);
  const named = all.slice(0, mostNamed).map(([cause, times]) => `${cause} × ${count(times)}`);
  if (rest.length > 0) named.push(`${rest.length} more × ${count(rest.reduce((sum, [, times]) => sum + times, 0))}`);
  return named.join(', ');
}
