import { performance } from 'node:perf_hooks';

/**
 * The host's monotonic clock (CLOCK_MONOTONIC) in nanoseconds since this process's time origin. All threads of a process share the origin, so
 * stamps of different workers can be subtracted. A double: exact to the nanosecond for 104 days, and free of the BigInt that
 * `process.hrtime.bigint()` would allocate for every stamp.
 */
export function nowNs(): number {
  return performance.now() * 1e6;
}

const originReadings = 16;

/** This process's time origin on CLOCK_MONOTONIC. The thread may lose its core between two readings of the clock: the closest pair of several is taken. */
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

/** A stamp of `nowNs()` as every process of the host reads CLOCK_MONOTONIC, in whole nanoseconds. */
export function hostNs(stampNs: number): number {
  return Math.round(originNs + stampNs);
}
