import { performance } from 'node:perf_hooks';

/** CLOCK_MONOTONIC in nanoseconds since the process's time origin, for all threads. A double is exact for 104 days. */
export function nowNs(): number {
  return performance.now() * 1e6;
}

const originReadings = 16;

/** This process's time origin on CLOCK_MONOTONIC, from the closest of several pairs of readings. */
function readOriginNs(): number {
  let [originNs, gapNs] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < originReadings; i++) {
    const before = nowNs();
    const host = Number(process.hrtime.bigint());
    const after = nowNs();
    if (after - before < gapNs) [originNs, gapNs] = [host - (before + after) / 2, after - before];
  }
  return originNs;
}

const originNs = readOriginNs();

/** A stamp of `nowNs()` on the host's CLOCK_MONOTONIC, in whole nanoseconds. */
export function hostNs(stampNs: number): number {
  return Math.round(originNs + stampNs);
}
