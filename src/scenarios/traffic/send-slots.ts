/** Sends of one slot leave together, which costs one wake of the thread in place of one for each send. */
export const slotNs = 1e6;
/** Slots of one round. What is due in a later round waits in its slot. */
const slots = 1024;

/** What waits in a slot. `behind` belongs to the slots. */
export interface Slotted<T> {
  dueNs: number;
  behind: T | undefined;
}

const slotOf = (dueNs: number): number => Math.floor(dueNs / slotNs);

/** Returns the last instant of a slot. */
export function slotEndNs(dueNs: number): number {
  return (slotOf(dueNs) + 1) * slotNs - 1;
}

/** Holds what is due in slots of 1 ms, each in the order of coming. Allocates nothing. */
export class SendSlots<T extends Slotted<T>> {
  readonly #first = new Array<T | undefined>(slots).fill(undefined);
  readonly #last = new Array<T | undefined>(slots).fill(undefined);
  /** The first slot that may have something due, and the first one that no walk has been to ahead of its time. */
  #due = 0;
  #ahead = 0;

  add(each: T): void {
    const slot = slotOf(each.dueNs);
    const last = this.#last[slot % slots];
    each.behind = undefined;
    if (last === undefined) this.#first[slot % slots] = each;
    else last.behind = each;
    this.#last[slot % slots] = each;
    this.#due = Math.min(this.#due, slot);
    this.#ahead = Math.min(this.#ahead, slot);
  }

  /** Visits all that is due, and all within `aheadNs` that no walk has been to. Returns when to walk again. */
  walk(nowNs: number, aheadNs: number, visit: (each: T) => void): number {
    const [due, ahead] = [slotOf(nowNs), slotOf(nowNs + aheadNs)];
    this.#visit(Math.max(this.#due, due - slots + 1), due, visit);
    // What the first visits have added is visited, too.
    this.#visit(Math.max(this.#ahead, due + 1), ahead, visit);
    this.#due = due;
    this.#ahead = ahead;
    for (let slot = due; slot <= ahead; slot++) {
      const leftNs = this.#earliest(slot);
      if (leftNs <= nowNs + aheadNs) return leftNs;
    }
    for (let slot = ahead; slot < ahead + slots; slot++)
      if (this.#first[slot % slots] !== undefined) return slot * slotNs - aheadNs / 2;
    return Number.POSITIVE_INFINITY;
  }

  #visit(from: number, to: number, visit: (each: T) => void): void {
    for (let slot = from; slot <= to; slot++) {
      let each = this.#first[slot % slots];
      this.#first[slot % slots] = undefined;
      this.#last[slot % slots] = undefined;
      while (each !== undefined) {
        const next: T | undefined = each.behind;
        visit(each);
        each = next;
      }
    }
  }

  #earliest(slot: number): number {
    let earliestNs = Number.POSITIVE_INFINITY;
    for (let each = this.#first[slot % slots]; each !== undefined; each = each.behind)
      earliestNs = Math.min(earliestNs, each.dueNs);
    return earliestNs;
  }
}
