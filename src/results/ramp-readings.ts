import { openGauge } from '../measure/stats/gauge.js';
import type { Series } from '../targets/observe/series.js';

/** Memory of the target at an instant of the ramp, in bytes, with the connections that were open then. */
export type RampReading = readonly [open: number, bytes: number];

/** Between the ends of a second the ramp is taken for even, which one that is over in a moment is not. */
const leastRampSeconds = 3;

const from = ['proc', 'prometheus', 'stats', 'railway'];

/**
 * Every reading of the target's resident memory during the ramp, in the order of time: what memory per connection is fitted through, and drawn from.
 * None of a ramp shorter than three seconds. `loadAtMs` is when the load began on the axis of the series.
 */
export function rampReadings(
  series: readonly Series[],
  timeline: Readonly<Record<string, readonly number[]>>,
  loadAtMs: number,
): RampReading[] {
  const { atEnd: open } = openGauge(timeline);
  const peak = open.reduce((most, each) => Math.max(most, each), 0);
  // Up to the first second that holds the peak: what comes later is no ramp.
  const rampSeconds = open.indexOf(peak) + 1;
  if ((timeline.opened ?? []).filter((opened) => opened > 0).length < leastRampSeconds) return [];
  return residentBytes(series).flatMap(([atMs, bytes]): RampReading[] => {
    const second = (atMs - loadAtMs) / 1000;
    return second < 0 || second >= rampSeconds ? [] : [[openAt(open, second), bytes]];
  });
}

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
