import type { Series } from '../../measure/series.js';
import { openGauge } from '../../measure/stats/gauge.js';
import { bestOf, pointsTogether } from './courses.js';

/** Open connections during the ramp, and the target's memory in bytes at that instant. */
export type RampReading = readonly [open: number, bytes: number];

/** A shorter ramp is not even between the ends of a second. */
const leastRampSeconds = 3;

/** Readings of the target's resident memory in the ramp, in order of time; none of a ramp under three seconds. */
export function rampReadings(
  series: readonly Series[],
  timeline: Readonly<Record<string, readonly number[]>>,
  loadAtMs: number,
): RampReading[] {
  const { atEnd: open } = openGauge(timeline);
  const peak = open.reduce((most, each) => Math.max(most, each), 0);
  const rampSeconds = open.indexOf(peak) + 1;
  if ((timeline.opened ?? []).filter((opened) => opened > 0).length < leastRampSeconds) return [];
  const resident = bestOf(series, 'rssBytes');
  // A process that was out of sight for a while has several series.
  const processes = new Set(resident.map((each) => each.process)).size;
  return pointsTogether(resident, 'sum').flatMap(({ atMs, value, of }): RampReading[] => {
    const second = (atMs - loadAtMs) / 1000;
    return of < processes || second < 0 || second >= rampSeconds ? [] : [[openAt(open, second), value]];
  });
}

function openAt(open: readonly number[], second: number): number {
  const whole = Math.floor(second);
  const before = open[whole - 1] ?? 0;
  return before + ((open[whole] ?? before) - before) * (second - whole);
}
