import { slopeReach95 } from '../../measure/stats/fit.js';
import type { RunResult } from '../../results/result.js';
import { count } from '../../units/words.js';

type Footprint = NonNullable<RunResult['environment']['footprint']>;

/** The reach of the 95 % interval of bytes per connection, to either side. */
export function footprintReach({ errorBytes, points }: Footprint): number {
  return slopeReach95({ slopeError: errorBytes, points });
}

/** What a connection costs the target: `8,012 ± 211 bytes per connection`. */
export function footprintInWords(footprint: Footprint): string {
  const [bytes, reach] = [footprint.bytesPerConnection, footprintReach(footprint)].map((each) =>
    count(Math.round(each)),
  );
  return `${bytes} ± ${reach} bytes per connection`;
}

/** Microseconds as milliseconds with at least three digits: `0.412`, `3.07`, `41.9`, `1,204`; a dash for null. */
export function milliseconds(us: number | null | undefined): string {
  if (us === null || us === undefined) return '–';
  const ms = us / 1000;
  const digits = ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return ms.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
