/**
 * Describes an item with a due time, in nanoseconds of `nowNs()`. The time must not change while the item is queued.
 */
export interface Due {
  readonly dueNs: number;
}

/** A binary heap with the soonest item first. Of equal times, the first queued comes first. */
export class DueQueue<T extends Due> {
  readonly #heap: T[] = [];
  /** Holds the queueing order of the item at the same index. */
  readonly #ranks: number[] = [];
  #queued = 0;

  get nextDueNs(): number {
    return this.#heap[0]?.dueNs ?? Number.POSITIVE_INFINITY;
  }

  push(item: T): void {
    const rank = this.#queued++;
    let at = this.#heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      // An item that is already queued goes first unless it is later.
      if ((this.#heap[parent] as T).dueNs <= item.dueNs) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, item, rank);
  }

  takeDue(nowNs: number): T | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.dueNs > nowNs) return undefined;
    const last = this.#heap.pop() as T;
    const rank = this.#ranks.pop() as number;
    if (this.#heap.length > 0) this.#sink(last, rank);
    return first;
  }

  #sink(item: T, rank: number): void {
    const { length } = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#isBefore(child + 1, (this.#heap[child] as T).dueNs, this.#ranks[child] as number))
        child++;
      if (!this.#isBefore(child, item.dueNs, rank)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, item, rank);
  }

  #isBefore(at: number, dueNs: number, rank: number): boolean {
    const own = (this.#heap[at] as T).dueNs;
    return own < dueNs || (own === dueNs && (this.#ranks[at] as number) < rank);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#heap[from] as T, this.#ranks[from] as number);
  }

  #put(at: number, item: T, rank: number): void {
    this.#heap[at] = item;
    this.#ranks[at] = rank;
  }
}
