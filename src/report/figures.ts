/** Microseconds as milliseconds with three significant digits at least: `0.412`, `3.07`, `41.9`, `1,204`. A figure that there is not is a dash. */
export function milliseconds(us: number | null | undefined): string {
  if (us === null || us === undefined) return '–';
  const ms = us / 1000;
  const digits = ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return ms.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A count with its thousands apart. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Delivered out of expected as a percentage that is 100 only when nothing is missing. */
export function deliveredShare(delivered: number, expected: number): string {
  if (expected === 0) return '–';
  const percent = (delivered / expected) * 100;
  return `${delivered < expected ? Math.min(percent, 99.99).toFixed(2) : '100'} %`;
}

/** `reset × 12, close-code:1006 × 1`, the commonest first. */
export function causesInWords(counts: Record<string, number>): string {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([cause, times]) => `${cause} × ${count(times)}`)
    .join(', ');
}
