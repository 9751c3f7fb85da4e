import { PerformanceObserver, performance } from 'node:perf_hooks';
import type { LoopSelf } from '../contract/shard.js';
import { LoadWindow } from '../measure/rig/load-window.js';
import { readProcText } from '../measure/rig/machine.js';
import { LoopDelays } from './loop-delays.js';
import { idleTurnsMs } from './timers.js';

/** Growing sums of a loop, in milliseconds. */
type LoopReadings = Record<'windowMs' | 'activeMs' | 'cpuMs' | 'waitMs', number>;

type Schedule = Pick<LoopReadings, 'cpuMs' | 'waitMs'>;

/** CPU time and run-queue wait of this thread; undefined outside Linux, or without a free descriptor. */
function threadSchedule(): Schedule | undefined {
  const text = process.platform === 'linux' ? readProcText('/proc/thread-self/schedstat') : undefined;
  if (text === undefined) return undefined;
  const [cpuNs = 0, waitNs = 0] = text.split(' ').map(Number);
  return { cpuMs: cpuNs / 1e6, waitMs: waitNs / 1e6 };
}

/** Measures this event loop under load: delay, utilisation, CPU, waits for a core, GC pauses. */
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
  #isOn = false;
  #schedule: Schedule = { cpuMs: Number.NaN, waitMs: Number.NaN };

  /** Starts, or continues after a halt; does nothing while measuring. `figures`: live figures; a load changes them. */
  start(figures: object): void {
    if (this.#isOn) return;
    this.#isOn = true;
    const readings = this.#read();
    if (this.#window) this.#window.resume(readings, figures);
    else this.#window = new LoadWindow(readings, figures);
    this.#observer.observe({ entryTypes: ['gc'] });
    this.#delays.resume(readings.windowMs);
  }

  tick(nowMs: number): void {
    if (this.#isOn) this.#delays.tick(nowMs);
  }

  /** Call with the current figures several times a second. */
  look(figures: object): void {
    if (!this.#isOn || !this.#window) return;
    const readings = this.#read();
    this.#delays.look(readings.windowMs, this.#window.look(readings, figures));
  }

  halt(figures: object): void {
    if (!this.#isOn) return;
    this.look(figures);
    this.#isOn = false;
    this.#observer.disconnect();
  }

  /** Turns that only wait for an instant do not count as work. */
  #read(): LoopReadings {
    const { active } = performance.eventLoopUtilization();
    this.#schedule = threadSchedule() ?? this.#schedule;
    return { windowMs: performance.now(), activeMs: active - idleTurnsMs(), ...this.#schedule };
  }

  get measured(): LoopSelf {
    const nothing: LoopReadings = { windowMs: 0, activeMs: 0, cpuMs: 0, waitMs: 0 };
    const { windowMs, activeMs, cpuMs, waitMs } = this.#window?.sums ?? nothing;
    return {
      windowMs,
      loopDelayP99Ms: this.#delays.p99Ms,
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
