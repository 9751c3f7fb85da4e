import { createHistogram } from '../measure/histogram.js';

/** How often the timer is asked to tick. */
export const tickMs = 10;
const tickUs = tickMs * 1000;

/**
 * How late a timer of an event loop ticks. A loop that stalls misses the ticks that would have told of it: a delay stands for all those that would have
 * fallen due meanwhile, each later by less (the correction for coordinated omission of HdrHistogram, with the interval of the ticks).
 */
export class LoopDelays {
  readonly #delaysUs = createHistogram();
  #lastMs = 0;

  /** Ticks are expected from now on. */
  resume(nowMs: number): void {
    this.#lastMs = nowMs;
  }

  tick(nowMs: number): void {
    const delayUs = Math.max(0, Math.floor((nowMs - this.#lastMs) * 1000 - tickUs));
    this.#delaysUs.recordValueWithExpectedInterval(delayUs, tickUs);
    this.#lastMs = nowMs;
  }

  /** No tick is expected any more: what is overdue counts. */
  halt(nowMs: number): void {
    if (nowMs - this.#lastMs > tickMs) this.tick(nowMs);
  }

  get maxMs(): number {
    return this.#delaysUs.totalCount > 0 ? this.#delaysUs.maxValue / 1000 : 0;
  }

  /** What one in a hundred of the ticks in a window exceeds, those beyond that window having been in time. */
  p99Ms(windowMs: number): number {
    const { totalCount } = this.#delaysUs;
    const beyond = windowMs / tickMs / 100;
    if (totalCount <= beyond) return 0;
    return this.#delaysUs.getValueAtPercentile(100 * (1 - beyond / totalCount)) / 1000;
  }
}
