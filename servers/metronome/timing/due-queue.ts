import TinyQueue from 'tinyqueue';

/** An item with a due time, in nanoseconds of `nowNs()`. The time must not change while the item is queued. */
export interface Due {
  readonly dueNs: number;
}

/** A queue with the soonest item first. Of equal times, the first queued comes first. */
export class DueQueue<T extends Due> {
  readonly #items = new TinyQueue<{ item: T; rank: number }>(
    [],
    (one, other) => one.item.dueNs - other.item.dueNs || one.rank - other.rank,
  );
  #queued = 0;

  get nextDueNs(): number {
    return this.#items.peek()?.item.dueNs ?? Number.POSITIVE_INFINITY;
  }

  push(item: T): void {
    this.#items.push({ item, rank: this.#queued++ });
  }

  takeDue(nowNs: number): T | undefined {
    return this.nextDueNs <= nowNs ? this.#items.pop()?.item : undefined;
  }
}
