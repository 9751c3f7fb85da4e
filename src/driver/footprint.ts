import type { RunResult } from '../contract/result.js';
import { fitLine } from '../measure/fit.js';
import { openGauge } from '../measure/gauge.js';
import type { Series } from '../targets/observe/series.js';

/** Through fewer the error of the slope is itself a guess. */
const pointsNeeded = 8;

const from = ['proc', 'prometheus', 'stats', 'railway'];

/**
 * Memory of the target per open connection: the slope of a line through (open connections, resident bytes) during the ramp, with its standard error.
 * `loadAtMs` is when the load began on the axis of the series. Null where there is too little to fit.
 */
export function footprintOf(
  series: readonly Series[],
  timeline: Readonly<Record<string, number[]>>,
  loadAtMs: number,
): RunResult['environment']['footprint'] {
  const { atEnd: open } = openGauge(timeline);
  const peak = Math.max(0, ...open);
  // Up to the first second that holds the peak: what comes later is no ramp.
  const rampSeconds = open.indexOf(peak) + 1;
  const points = residentBytes(series).flatMap(([atMs, bytes]): [number, number][] => {
    const second = (atMs - loadAtMs) / 1000;
    return second < 0 || second >= rampSeconds ? [] : [[openAt(open, second), bytes]];
  });
  const fit = fitLine(points);
  return fit && fit.points >= pointsNeeded
    ? { bytesPerConnection: fit.slope, errorBytes: fit.slopeError, points: fit.points }
    : null;
}

/** Between the ends of two seconds the ramp is even. */
function openAt(open: readonly number[], second: number): number {
  const whole = Math.floor(second);
  const before = open[whole - 1] ?? 0;
  return before + ((open[whole] ?? before) - before) * (second - whole);
}

/** Resident bytes of all processes together, from the first source that has them. */
function residentBytes(series: readonly Series[]): [number, number][] {
  for (const source of from) {
    const found = series.filter((each) => each.source === source && each.name === 'rssBytes' && each.points.length > 0);
    if (found.length === 0) continue;
    // A process that was out of sight for a while has a series for each time.
    const processes = new Set(found.map((each) => each.process)).size;
    const sums = new Map<number, { bytes: number; of: number }>();
    for (const { atMs, value } of found.flatMap((each) => each.points)) {
      const sum = sums.get(atMs) ?? { bytes: 0, of: 0 };
      sums.set(atMs, { bytes: sum.bytes + value, of: sum.of + 1 });
    }
    return [...sums].filter(([, sum]) => sum.of === processes).map(([atMs, sum]) => [atMs, sum.bytes]);
  }
  return [];
}
