import { nowNs } from '../measure/rig/clock.js';

/** Timers run up to 1.5 ms late, or 4 ms on a sleeping virtual core. Turns of the loop end a precise wait. */
const timerSlackMs = { least: 1.5, most: 4, share: 0.1 };
/** An idle turn takes 1 to 3 µs. A longer one may have read or written a socket. */
const idleTurnNs = 10_000;

/** Measures the idle turns of an event loop. A turn that may have worked counts as work. */
export class IdleTurns {
  #lastNs = 0;
  #idleNs = 0;

  get idleMs(): number {
    return this.#idleNs / 1e6;
  }

  /** Of several waits at once, each continues where another stopped, so that no time counts twice. */
  turned(nowNs: number): void {
    const turnNs = nowNs - this.#lastNs;
    if (turnNs < idleTurnNs) this.#idleNs += turnNs;
    this.#lastNs = nowNs;
  }
}

/** Idle turns of this loop in precise waits. The kernel counts their time as busy. */
export const idleTurns = new IdleTurns();

/** Callbacks of an abort, by signal. All share one listener, as adding and removing one costs more than the sleep. */
const sleepers = new WeakMap<AbortSignal, Set<() => void>>();

function sleepersOf(signal: AbortSignal): Set<() => void> {
  const known = sleepers.get(signal);
  if (known !== undefined) return known;
  const asleep = new Set<() => void>();
  sleepers.set(signal, asleep);
  signal.addEventListener('abort', () => {
    for (const wake of asleep) wake();
  });
  return asleep;
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const asleep = sleepersOf(signal);
    const wake = (): void => {
      clearTimeout(timer);
      asleep.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    asleep.add(wake);
  });
}

/** Resolves when the monotonic clock passes `atNs`, a few microseconds late on an idle loop, or when aborted. */
export async function until(atNs: number, signal: AbortSignal): Promise<void> {
  const { least, most, share } = timerSlackMs;
  const remainingMs = (atNs - nowNs()) / 1e6;
  const asleepMs = remainingMs - Math.min(most, Math.max(least, remainingMs * share));
  if (asleepMs > 0) await sleep(asleepMs, signal);
  if (!signal.aborted && nowNs() < atNs) await turning(atNs, signal);
}

/** Turns the loop until then. A promise for each turn would leave ten times the garbage. */
function turning(atNs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const turn = (): void => {
      const now = nowNs();
      idleTurns.turned(now);
      if (signal.aborted || now >= atNs) resolve();
      else setImmediate(turn);
    };
    setImmediate(turn);
  });
}
