import type { TargetSlots } from '../../measure/paired/slots.js';

/** How a ramp is paced and when it is over. */
export interface RampPlan {
  /** Of all workers and shards together. */
  ratePerSecond: number;
  /** Clients of this worker that may be on their way at once; without it as many as the rate brings. */
  maxPending?: number;
  /** The ramp ends when no client becomes ready for this long; without it each client's own timeouts end it. */
  stallMs?: number;
  /** It ends with this many clients opened or failed in all ramps so far; without it with all. */
  upTo?: number;
}

/** In a comparison all targets ramp at once, as fast as they can: few clients of each are on their way. */
const pendingInSlots = 256;

export function mostPending({ slots }: { slots?: TargetSlots | undefined }): number {
  return slots ? pendingInSlots : Number.POSITIVE_INFINITY;
}

const bucketNs = 1e9;

/** Events counted per second since a start, so that those of several workers and shards add up second by second. */
export class Timeline {
  readonly #buckets = new Map<string, number[]>();

  constructor(private readonly startNs: number) {}

  /** The second, from 0, that an instant lies in; what is earlier counts in the first. */
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
