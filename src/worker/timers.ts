import { nowNs } from '../measure/rig/clock.js';
import { IdleTurns } from './idle-turns.js';

/**
 * A timer of Node runs up to 1.5 ms late, and on a virtual machine whose core had gone to sleep up to 4: the rest of a precise wait is spent turning
 * the loop, at most a tenth of it beyond what every timer needs.
 */
const timerSlackMs = { least: 1.5, most: 4, share: 0.1 };
const turns = new IdleTurns();

/** How long this loop has turned for nothing, at the end of precise waits: for the kernel it was busy then. */
export function idleTurnsMs(): number {
  return turns.idleMs;
}

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
 * The last of the wait is spent in turns of the loop, so that answers keep being read meanwhile.
 */
export async function until(atNs: number, signal: AbortSignal): Promise<void> {
  const { least, most, share } = timerSlackMs;
  const remainingMs = (atNs - nowNs()) / 1e6;
  const asleepMs = remainingMs - Math.min(most, Math.max(least, remainingMs * share));
  if (asleepMs > 0) await sleep(asleepMs, signal);
  while (!signal.aborted && nowNs() < atNs) {
    await new Promise(setImmediate);
    turns.turned(nowNs());
  }
}
