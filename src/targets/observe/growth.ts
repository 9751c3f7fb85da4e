/** How fast a total that only ever grows does so. */
export class Growth {
  #total: number | undefined;
  #atMs = 0;

  /** Growth per second since the call before; undefined for the first one, and for a total that fell, which is another's total. */
  perSecond(total: number, atMs: number): number | undefined {
    const [before, intervalMs] = [this.#total, atMs - this.#atMs];
    this.#total = total;
    this.#atMs = atMs;
    if (before === undefined || total < before || intervalMs <= 0) return undefined;
    return (total - before) / (intervalMs / 1000);
  }

  /** Whether this total is less than the one before: who counts has begun anew. */
  isFall(total: number): boolean {
    return this.#total !== undefined && total < this.#total;
  }
}
