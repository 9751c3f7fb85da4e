import type { DeliveryBatch } from '../wire.js';

/** A delivery that JavaScript found. */
export interface Candidate {
  client: number;
  sequence: number;
  receivedAtNs: number;
  notBeforeNs: number;
  flags: number;
  /** How many deliveries of its loop came before it, modulo 2^32. */
  behind: number;
}

/** Deliveries of a loop that only JavaScript knows as such, between those that the thread knew. */
export class Candidates {
  #waiting: Candidate[] = [];

  add(candidate: Candidate): void {
    this.#waiting.push(candidate);
  }

  /** Those that come next if deliveries `tail` to `head` of the loop are to be handed over, and where they stand. */
  next(tail: number, head: number): { behind: number; batch: DeliveryBatch } | undefined {
    const behind = this.#waiting[0]?.behind;
    if (behind === undefined || (behind - tail) >>> 0 > (head - tail) >>> 0) return undefined;
    const more = this.#waiting.findIndex((each) => each.behind !== behind);
    const next = this.#waiting.splice(0, more === -1 ? this.#waiting.length : more);
    return { behind, batch: batchOf(next) };
  }
}

/** A batch of these. */
export function batchOf(list: readonly Candidate[]): DeliveryBatch {
  return {
    count: list.length,
    client: Int32Array.from(list, (each) => each.client),
    sequence: Int32Array.from(list, (each) => each.sequence),
    receivedAtNs: Float64Array.from(list, (each) => each.receivedAtNs),
    notBeforeNs: Float64Array.from(list, (each) => each.notBeforeNs),
    flags: Uint8Array.from(list, (each) => each.flags),
  };
}
