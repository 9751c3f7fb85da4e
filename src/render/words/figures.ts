import { slopeReach95 } from '../../measure/stats/fit.js';

/** How far the 95 % interval of what a connection costs reaches to either side, in bytes. */
export function footprintReach({ errorBytes, points }: { errorBytes: number; points: number }): number {
  return slopeReach95({ slopeError: errorBytes, points });
}

/** A percentile over time to the digits that it has: it comes out of bins 1.6 % wide, so that the third is in doubt and a fourth would be none. */
export function asBinned(us: number | null): number | null {
  return us === null ? null : Number(us.toPrecision(3));
}

/** Microseconds as milliseconds with three significant digits at least: `0.412`, `3.07`, `41.9`, `1,204`. A figure that there is not is a dash. */
export function milliseconds(us: number | null | undefined): string {
  if (us === null || us === undefined) return '–';
  const ms = us / 1000;
  const digits = ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return ms.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
