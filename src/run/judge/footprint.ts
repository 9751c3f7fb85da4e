import type { Series } from '../../measure/series.js';
import { fitLine } from '../../measure/stats/fit.js';
import { rampReadings } from '../../results/ramp-readings.js';
import type { RunResult } from '../../results/result.js';

/** With fewer, the error of the slope is a guess. */
const pointsNeeded = 8;

/**
 * Memory of the target per open connection, with its standard error: the slope of resident bytes over open connections
 * during the ramp. `loadAtMs`: when the load began, on the axis of the series. Null with too few points.
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
