/** Microseconds as milliseconds with three significant digits at least: `0.412`, `3.07`, `41.9`, `1,204`. A figure that there is not is a dash. */
export function milliseconds(us: number | null | undefined): string {
  if (us === null || us === undefined) return '–';
  const ms = us / 1000;
  const digits = ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return ms.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
