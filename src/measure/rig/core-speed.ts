import { nowNs } from './clock.js';

/** Steps of one reading: a third of a millisecond on a core of today, so that one in which nobody takes the core away is soon found. */
const steps = 300_000;
const readings = 15;

/** Keeps the loop from being optimised away. */
let sink = 0;

function work(): void {
  let x = sink;
  for (let i = 0; i < steps; i++) x = (Math.imul(x, 31) + i) | 0;
  sink = x;
}

/**
 * How fast a core of this machine is now, in steps of a fixed loop of integers per microsecond: the best of several readings of `clock`, the first of
 * which are slow until the loop is compiled. Blocks for some milliseconds. Of use only beside another one of the same machine and runtime.
 */
export function coreSpeed(clock: () => number = nowNs): number {
  let leastNs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < readings; i++) {
    const beganNs = clock();
    work();
    leastNs = Math.min(leastNs, clock() - beganNs);
  }
  return (steps * 1000) / Math.max(1, leastNs);
}
