import type { DeliveryBatch, ScanRule } from '../wire.js';
import { deliveryShift, type EventRing } from './addon.js';

/** A message with a sequence number that JavaScript judges. */
interface Candidate {
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

  add(events: EventRing, at: number): void {
    this.#waiting.push(candidateAt(events, at));
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

/** The candidate of an event. */
export function candidateAt(events: EventRing, at: number): Candidate {
  return {
    client: events.client[at] as number,
    sequence: events.d[at] as number,
    receivedAtNs: events.b[at] as number,
    notBeforeNs: events.a[at] as number,
    flags: (events.flags[at] as number) >> deliveryShift,
    behind: events.c[at] as number,
  };
}

/** Whether a message is an acknowledgement by the rule's word. */
export function isAcknowledgement(rule: ScanRule, bytes: Uint8Array): boolean {
  const word = rule.acknowledgement ?? '';
  return word !== '' && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(word);
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
