/** The rate of events of one worker, by the first and the last instant; those of all workers and shards add up. */
export class RateMeter {
  #count = 0;
  #firstNs = Number.POSITIVE_INFINITY;
  #lastNs = 0;

  /** Counts one event at an instant. */
  count(atNs: number): void {
    this.#count++;
    if (atNs < this.#firstNs) this.#firstNs = atNs;
    if (atNs > this.#lastNs) this.#lastNs = atNs;
  }

  /** Zero of fewer than two: one instant has no rate. */
  get perSecond(): number {
    return this.#lastNs > this.#firstNs ? ((this.#count - 1) * 1e9) / (this.#lastNs - this.#firstNs) : 0;
  }
}
