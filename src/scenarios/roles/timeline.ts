import type { TargetSlots } from '../../measure/paired/slots.js';

/** Describes the pace of a ramp and its end. */
export interface RampPlan {
  /** Clients per second of all workers and shards together. */
  ratePerSecond: number;
  /** Largest number of clients of this worker that are on their way at once; without it as many as the rate brings. */
  maxPending?: number;
  /** Ends the ramp if no client becomes ready for this long; without it each client's own timeouts end it. */
  stallMs?: number;
  /** Ends the ramp at this many clients opened or failed in all ramps so far; without it at all clients. */
  upTo?: number;
}

/** Largest number of clients on their way in a comparison. There all targets ramp at once, as fast as they can. */
const pendingInSlots = 256;

export function mostPending({ slots }: { slots?: TargetSlots | undefined }): number {
  return slots ? pendingInSlots : Number.POSITIVE_INFINITY;
}

const bucketNs = 1e9;

/** Counts events per second since a start, so that those of several workers and shards add up second by second. */
export class Timeline {
  readonly #buckets = new Map<string, number[]>();

  constructor(private readonly startNs: number) {}

  /** Returns the second, from 0, of an instant. Earlier instants count in the first. */
  secondOf(nowNs: number): number {
    return Math.max(0, Math.floor((nowNs - this.startNs) / bucketNs));
  }

  count(name: string, nowNs: number, events = 1): void {
    const second = this.secondOf(nowNs);
    const buckets = this.#buckets.get(name) ?? [];
    this.#buckets.set(name, buckets);
    while (buckets.length <= second) buckets.push(0);
    buckets[second] = (buckets[second] as number) + events;
  }

  report(): Record<string, number[]> {
    return Object.fromEntries(this.#buckets);
  }
}
