import { nowNs } from './clock.js';

/** One reading takes a third of a millisecond, short enough to find one without interruption. */
const steps = 300_000;
const readings = 15;

/** Prevents the loop from being optimised away. */
let sink = 0;

function work(): void {
  let x = sink;
  for (let i = 0; i < steps; i++) x = (Math.imul(x, 31) + i) | 0;
  sink = x;
}

/** Steps of a fixed integer loop per microsecond, the best of several. Compare within one machine and runtime. */
export function coreSpeed(clock: () => number = nowNs): number {
  let leastNs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < readings; i++) {
    const beganNs = clock();
    work();
    leastNs = Math.min(leastNs, clock() - beganNs);
  }
  return (steps * 1000) / Math.max(1, leastNs);
}
