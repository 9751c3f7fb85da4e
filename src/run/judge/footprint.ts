import type { Series } from '../../measure/series.js';
import { fitLine } from '../../measure/stats/fit.js';
import { rampReadings } from '../../results/ramp-readings.js';
import type { RunResult } from '../../results/result.js';

/** Through fewer the error of the slope is itself a guess. */
const pointsNeeded = 8;

/**
 * Memory of the target per open connection: the slope of a line through (open connections, resident bytes) during the ramp, with its standard error.
 * `loadAtMs` is when the load began on the axis of the series. Null where there is too little to fit.
 */
export function footprintOf(
  series: readonly Series[],
  timeline: Readonly<Record<string, number[]>>,
  loadAtMs: number,
): RunResult['environment']['footprint'] {
  const fit = fitLine(rampReadings(series, timeline, loadAtMs));
  return fit && fit.points >= pointsNeeded
    ? { bytesPerConnection: fit.slope, errorBytes: fit.slopeError, points: fit.points }
    : null;
}
