/** A count with its thousands apart. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** A part of a whole as a percentage that is 100 only when nothing is missing; a dash when there is no whole. */
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

/** Counts by cause, the commonest first: `reset × 12, close-code:1006 × 1`. */
export function causesInWords(counts: Readonly<Record<string, number>> = {}): string {
  return commonestFirst(counts)
    .map(([cause, times]) => `${cause} × ${count(times)}`)
    .join(', ');
}
