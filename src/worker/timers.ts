import { nowNs } from '../measure/clock.js';

/** A timer of Node runs up to this much late; the rest of a precise wait is spent turning the loop. */
const timerSlackMs = 1.5;

/** Resolves after about `ms`, or at once when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

/**
 * Resolves once the monotonic clock has passed `atNs`, a few microseconds late at most on an idle loop, or at once when the signal is aborted.
 * The last 1.5 ms are spent in turns of the loop, so that answers keep being read meanwhile.
 */
export async function until(atNs: number, signal: AbortSignal): Promise<void> {
  const remainingMs = (atNs - nowNs()) / 1e6 - timerSlackMs;
  if (remainingMs > 0) await sleep(remainingMs, signal);
  while (!signal.aborted && nowNs() < atNs) await new Promise(setImmediate);
}
