import type { Stretch } from '../measure/rig/load-window.js';
import { createHistogram } from '../measure/samples/histogram.js';

/** How often the timer is asked to tick. */
export const tickMs = 10;
const tickUs = tickMs * 1000;

/**
 * How late a timer of an event loop ticks while a load is on it. A loop that stalls misses the ticks that would have told of it: a delay stands for all
 * those that would have fallen due meanwhile, each later by less (the correction for coordinated omission of HdrHistogram, with the interval of the ticks).
 */
export class LoopDelays {
  /** Of two digits, as looks add one to the other while the load is on. */
  readonly #countedUs = createHistogram(2);
  /** Those of a stretch of which it is open whether it counts. */
  readonly #openUs = createHistogram(2);
  #lastMs = 0;

  /** Ticks are expected from now on. */
  resume(nowMs: number): void {
    this.#lastMs = nowMs;
    this.#openUs.reset();
  }

  tick(nowMs: number): void {
    const delayUs = Math.max(0, Math.floor((nowMs - this.#lastMs) * 1000 - tickUs));
    this.#openUs.recordValueWithExpectedInterval(delayUs, tickUs);
    this.#lastMs = nowMs;
  }

  /** Takes what became of the stretch up to now; a tick that is overdue is part of it. */
  look(nowMs: number, stretch: Stretch): void {
    if (nowMs - this.#lastMs > tickMs) this.tick(nowMs);
    if (stretch === 'load') this.#countedUs.add(this.#openUs);
    if (stretch !== 'open') this.#openUs.reset();
  }

  get maxMs(): number {
    return this.#countedUs.totalCount > 0 ? this.#countedUs.maxValue / 1000 : 0;
  }

  /** What one in a hundred of the ticks exceeds, and more than a single one: of a hundred or fewer it is the second worst. */
  get p99Ms(): number {
    const { totalCount } = this.#countedUs;
    const beyond = Math.max(1, totalCount / 100);
    if (totalCount <= beyond) return 0;
    return this.#countedUs.getValueAtPercentile(100 * (1 - beyond / totalCount)) / 1000;
  }
}
