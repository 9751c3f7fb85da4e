/** The rate of events of one worker, by the first and the last instant. */
export class RateMeter {
  #count = 0;
  #firstNs = Number.POSITIVE_INFINITY;
  #lastNs = 0;

  count(atNs: number): void {
    this.#count++;
    if (atNs < this.#firstNs) this.#firstNs = atNs;
    if (atNs > this.#lastNs) this.#lastNs = atNs;
  }

  /** Milliseconds from the first event of another meter to the last of this one, plus an interval; 0 without. */
  lastsMsFrom(first: RateMeter, intervalMs: number): number {
    return this.#lastNs > first.#firstNs ? (this.#lastNs - first.#firstNs) / 1e6 + intervalMs : 0;
  }

  /** Zero of fewer than two: one instant has no rate. */
  get perSecond(): number {
    return this.#lastNs > this.#firstNs ? ((this.#count - 1) * 1e9) / (this.#lastNs - this.#firstNs) : 0;
  }
}
