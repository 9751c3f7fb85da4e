import type { Stretch } from '../measure/rig/load-window.js';
import { createHistogram } from '../measure/samples/histogram.js';

export const tickMs = 10;
const tickUs = tickMs * 1000;

/** How late a timer ticks under load. One delay counts for each tick that was due meanwhile (coordinated omission). */
export class LoopDelays {
  /** Two digits: histograms are added under load. */
  readonly #countedUs = createHistogram(2);
  /** Delays of a stretch that may not count. */
  readonly #openUs = createHistogram(2);
  #lastMs = 0;

  /** Expects ticks from now on. */
  resume(nowMs: number): void {
    this.#lastMs = nowMs;
    this.#openUs.reset();
  }

  tick(nowMs: number): void {
    const delayUs = Math.max(0, Math.floor((nowMs - this.#lastMs) * 1000 - tickUs));
    this.#openUs.recordValueWithExpectedInterval(delayUs, tickUs);
    this.#lastMs = nowMs;
  }

  /** Counts, keeps open or drops the stretch up to now; an overdue tick is part of it. */
  look(nowMs: number, stretch: Stretch): void {
    if (nowMs - this.#lastMs > tickMs) this.tick(nowMs);
    if (stretch === 'load') this.#countedUs.add(this.#openUs);
    if (stretch !== 'open') this.#openUs.reset();
  }

  get maxMs(): number {
    return this.#countedUs.totalCount > 0 ? this.#countedUs.maxValue / 1000 : 0;
  }

  /** Exceeded by 1 % of the ticks, and by at least one: the second worst of a hundred or fewer. */
  get p99Ms(): number {
    const { totalCount } = this.#countedUs;
    const beyond = Math.max(1, totalCount / 100);
    if (totalCount <= beyond) return 0;
    return this.#countedUs.getValueAtPercentile(100 * (1 - beyond / totalCount)) / 1000;
  }
}
