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
