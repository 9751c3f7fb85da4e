import { PerformanceObserver, performance } from 'node:perf_hooks';
import type { LoopSelf } from '../contract/shard.js';
import { LoadWindow } from '../measure/load-window.js';
import { readProcText } from '../measure/machine.js';
import { LoopDelays, tickMs } from './loop-delays.js';
import { idleTurnsMs } from './timers.js';

/** What grows while a loop runs, in milliseconds. */
type LoopReadings = Record<'windowMs' | 'activeMs' | 'cpuMs' | 'waitMs', number>;

/** CPU time and run-queue wait of the calling thread, as Linux counts them; not a number elsewhere, and without a free descriptor. */
function threadSchedule(): { cpuMs: number; waitMs: number } {
  const text = process.platform === 'linux' ? readProcText('/proc/thread-self/schedstat') : undefined;
  const [cpuNs = 0, waitNs = 0] = text?.split(' ').map(Number) ?? [Number.NaN, Number.NaN];
  return { cpuMs: cpuNs / 1e6, waitMs: waitNs / 1e6 };
}

/** Turns that only wait for an instant are no work. */
function readLoop(): LoopReadings {
  const { active } = performance.eventLoopUtilization();
  return { windowMs: performance.now(), activeMs: active - idleTurnsMs(), ...threadSchedule() };
}

/** Measures the event loop that it is made on while there is a load: its delay, utilisation, CPU, waits for a core and GC pauses. */
export class SelfMeasure {
  readonly #delays = new LoopDelays();
  readonly #gc = { count: 0, totalMs: 0, maxMs: 0 };
  readonly #observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      this.#gc.count++;
      this.#gc.totalMs += duration;
      this.#gc.maxMs = Math.max(this.#gc.maxMs, duration);
    }
  });
  #window: LoadWindow<LoopReadings> | undefined;
  #timer: NodeJS.Timeout | undefined;

  get isStarted(): boolean {
    return this.#window !== undefined;
  }

  /** Begins, or goes on after a halt; `figures` are the live ones, by which a load is told. While it measures, nothing changes. */
  start(figures: object): void {
    if (this.#timer !== undefined) return;
    if (this.#window) this.#window.resume(readLoop(), figures);
    else this.#window = new LoadWindow(readLoop(), figures);
    this.#observer.observe({ entryTypes: ['gc'] });
    this.#delays.resume(performance.now());
    this.#timer = setInterval(() => this.#delays.tick(performance.now()), tickMs).unref();
  }

  /** To be told the figures several times in a second. */
  look(figures: object): void {
    if (this.#timer !== undefined) this.#window?.look(readLoop(), figures);
  }

  halt(figures: object): void {
    if (this.#timer === undefined) return;
    this.#delays.halt(performance.now());
    this.look(figures);
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#observer.disconnect();
  }

  /** What was measured until now. */
  get measured(): LoopSelf {
    const { windowMs, activeMs, cpuMs, waitMs } = this.#window?.sums ?? {
      windowMs: 0,
      activeMs: 0,
      cpuMs: 0,
      waitMs: 0,
    };
    return {
      windowMs,
      loopDelayP99Ms: this.#delays.p99Ms(windowMs),
      loopDelayMaxMs: this.#delays.maxMs,
      utilization: windowMs > 0 ? Math.max(0, activeMs / windowMs) : 0,
      cpuMs: Number.isNaN(cpuMs) ? null : cpuMs,
      runQueueWaitMs: Number.isNaN(waitMs) ? null : waitMs,
      gcCount: this.#gc.count,
      gcTotalMs: this.#gc.totalMs,
      gcMaxMs: this.#gc.maxMs,
    };
  }
}
