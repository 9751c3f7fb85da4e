import { performance } from 'node:perf_hooks';
import { readOriginNs } from '../../units/system.js';

/** Returns CLOCK_MONOTONIC in nanoseconds since the time origin, the same for all threads, exact for 104 days. */
export function nowNs(): number {
  return performance.now() * 1e6;
}

const readings = 5;

/** Reads the wall clock (since 1970) and the monotonic clock (since the start of the process) together. */
export function readClocks(): { wallMs: number; monotonicMs: number } {
  let [best, gapMs] = [{ wallMs: 0, monotonicMs: 0 }, Number.POSITIVE_INFINITY];
  // This thread may lose its core between two readings.
  for (let i = 0; i < readings; i++) {
    const beforeMs = performance.now();
    const wallMs = Date.now();
    const monotonicMs = performance.now();
    if (monotonicMs - beforeMs < gapMs) [best, gapMs] = [{ wallMs, monotonicMs }, monotonicMs - beforeMs];
  }
  return best;
}

const originNs = readOriginNs();

/** Converts a stamp of `nowNs()` to the host's CLOCK_MONOTONIC, in whole nanoseconds. */
export function hostNs(stampNs: number): number {
  return Math.round(originNs + stampNs);
}
