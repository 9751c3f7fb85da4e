import { PerformanceObserver, performance as perf } from 'node:perf_hooks';
import type { LoopSelf } from '../contract/shard.js';
import { LoadWindow, type Stretch } from '../measure/rig/load-window.js';
import { readProcText } from '../measure/rig/machine.js';
import { createHistogram } from '../measure/samples/samples.js';
import { idleTurns } from './timers.js';

export const loopTickMs = 10;
const tickUs = loopTickMs * 1000;

/** Measures the delays of a timer, one for each tick that was due meanwhile (coordinated omission). */
export class LoopDelays {
  /** Two digits, as histograms are added under load. */
  readonly #countedUs = createHistogram(2);
  /** Delays of a stretch that may not count. */
  readonly #openUs = createHistogram(2);
  #lastMs = 0;

  resume(nowMs: number): void {
    this.#lastMs = nowMs;
    this.#openUs.reset();
  }

  tick(nowMs: number): void {
    const delayUs = Math.max(0, Math.floor((nowMs - this.#lastMs) * 1000 - tickUs));
    this.#openUs.recordValueWithExpectedInterval(delayUs, tickUs);
    this.#lastMs = nowMs;
  }

  /** Counts, keeps open or drops the stretch up to now, with an overdue tick. */
  look(nowMs: number, stretch: Stretch): void {
    if (nowMs - this.#lastMs > loopTickMs) this.tick(nowMs);
    if (stretch === 'load') this.#countedUs.add(this.#openUs);
    if (stretch !== 'open') this.#openUs.reset();
  }

  get maxMs(): number {
    return this.#countedUs.totalCount > 0 ? this.#countedUs.maxValue / 1000 : 0;
  }

  /** Delay that 1 % of the ticks exceed, and at least one. For 100 ticks or fewer it is the second worst. */
  get p99Ms(): number {
    const { totalCount } = this.#countedUs;
    const beyond = Math.max(1, totalCount / 100);
    if (totalCount <= beyond) return 0;
    return this.#countedUs.getValueAtPercentile(100 * (1 - beyond / totalCount)) / 1000;
  }
}

type LoopReadings = Record<'windowMs' | 'activeMs' | 'cpuMs' | 'waitMs', number>;

type Schedule = Pick<LoopReadings, 'cpuMs' | 'waitMs'>;

/** Reads CPU time and run-queue wait of this thread; undefined outside Linux, or without a free descriptor. */
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
  readonly #readSchedule: () => Schedule | undefined;

  constructor(readSchedule = threadSchedule) {
    this.#readSchedule = readSchedule;
  }

  /** Starts, or continues after a halt. `figures` change under load. */
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

  /** Reads the sums of the loop. Turns that only wait for an instant do not count as work. */
  #read(): LoopReadings {
    const { active } = perf.eventLoopUtilization();
    this.#schedule = this.#readSchedule() ?? this.#schedule;
    return { windowMs: performance.now(), activeMs: active - idleTurns.idleMs, ...this.#schedule };
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

const beatsPerSecond = 4;
const beatMs = 1000 / beatsPerSecond;

interface BeatEvents {
  /** Called every `tickMs`, or later on a busy loop. */
  tick(nowMs: number): void;
  /** Receives the worst delay of the current second, or of one that ended since the last beat (`isSecond`). */
  beat(loopDelayMs: number, isSecond: boolean): void;
}

/** Calls `beat` four times a second since `startedNs`, in step with all workers of the same start. */
export function startBeat(startedNs: number, events: BeatEvents) {
  const startedMs = startedNs / 1e6;
  let tickedMs = performance.now();
  let worstMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let seconds = 0;

  /** Returns the worst delay of the current second, an overdue tick included. */
  const loopDelayMs = (): number => Math.max(worstMs, performance.now() - tickedMs - loopTickMs);

  const awaitBeat = (): void => {
    const number = Math.floor((performance.now() - startedMs) / beatMs) + 1;
    const dueMs = startedMs + number * beatMs;
    timer = setTimeout(() => due(number), Math.max(1, Math.ceil(dueMs - performance.now())));
  };

  const due = (number: number): void => {
    // A blocked loop skips beats, and one of them may end a second.
    const isSecond = Math.floor(number / beatsPerSecond) > seconds;
    seconds = Math.floor(number / beatsPerSecond);
    events.beat(loopDelayMs(), isSecond);
    if (isSecond) worstMs = 0;
    awaitBeat();
  };

  const ticks = setInterval(() => {
    worstMs = loopDelayMs();
    tickedMs = performance.now();
    events.tick(tickedMs);
  }, loopTickMs);
  awaitBeat();

  return {
    loopDelayMs,
    stop(): void {
      clearTimeout(timer);
      clearInterval(ticks);
    },
  };
}
