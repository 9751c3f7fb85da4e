import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks';
import type { WorkerSelf } from '../contract/shard.js';
import { readProcText } from '../measure/machine.js';
import type { RoleName } from './messages.js';
import { idleTurnsMs } from './timers.js';

const resolutionMs = 10;

/** CPU time and run-queue wait of the calling thread in nanoseconds, as Linux counts them; undefined elsewhere, and without a free descriptor. */
function threadSchedule(): { cpuNs: number; waitNs: number } | undefined {
  if (process.platform !== 'linux') return undefined;
  const text = readProcText('/proc/thread-self/schedstat');
  if (text === undefined) return undefined;
  const [cpuNs = 0, waitNs = 0] = text.split(' ').map(Number);
  return { cpuNs, waitNs };
}

/** Measures the event loop that it is made on: its delay, utilisation, CPU, waits for a core and GC pauses, over one window. */
export class SelfMeasure {
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #gc = { count: 0, totalMs: 0, maxMs: 0 };
  readonly #observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      this.#gc.count++;
      this.#gc.totalMs += duration;
      this.#gc.maxMs = Math.max(this.#gc.maxMs, duration);
    }
  });
  #startMs = performance.now();
  #startUtilization = performance.eventLoopUtilization();
  #startIdleTurnsMs = idleTurnsMs();
  #startSchedule = threadSchedule();
  #isStarted = false;

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Opens the window; later calls change nothing. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#startMs = performance.now();
    this.#startUtilization = performance.eventLoopUtilization();
    this.#startIdleTurnsMs = idleTurnsMs();
    this.#startSchedule = threadSchedule();
    this.#delay.enable();
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** Closes the window and says what was in it. */
  stop(role: RoleName, index: number): WorkerSelf {
    const schedule = threadSchedule();
    const start = this.#startSchedule;
    this.#delay.disable();
    this.#observer.disconnect();
    const windowMs = performance.now() - this.#startMs;
    const active = performance.eventLoopUtilization(this.#startUtilization).utilization;
    const turning = windowMs > 0 ? (idleTurnsMs() - this.#startIdleTurnsMs) / windowMs : 0;
    // The histogram holds whole intervals between ticks of its timer; what exceeds the asked interval is the delay.
    const delayMs = (ns: number): number => (this.#delay.count > 0 ? Math.max(0, ns / 1e6 - resolutionMs) : 0);
    return {
      role,
      index,
      windowMs,
      loopDelayP99Ms: delayMs(this.#delay.percentile(99)),
      loopDelayMaxMs: delayMs(this.#delay.max),
      utilization: Math.max(0, active - turning),
      cpuMs: schedule && start ? (schedule.cpuNs - start.cpuNs) / 1e6 : null,
      runQueueWaitMs: schedule && start ? (schedule.waitNs - start.waitNs) / 1e6 : null,
      gcCount: this.#gc.count,
      gcTotalMs: this.#gc.totalMs,
      gcMaxMs: this.#gc.maxMs,
    };
  }
}
